// Keys of the pages that show an episode.
import { isChord, keyOf, type Press } from "../keyboard";

/** Commands of all these pages. */
export type Shared =
  | { do: "step"; by: number }
  | { do: "place"; end: boolean }
  | { do: "toggle" | "remove" | "undo" | "redo" }
  | { do: "speed"; index: number }
  | { do: "jump"; to: "words"; direction: 1 | -1 }
  | { do: "nudge"; by: 1 | -1 };

/** The command of a key press on a page with keys of its `own`; undefined for other keys. */
export function pressed<C>(press: Press, own: Record<string, C>): C | Shared | undefined {
  if ((press.ctrlKey || press.metaKey) && !press.altKey) {
    const key = keyOf(press, (shown) => shown === "z" || shown === "y");
    return key === undefined ? undefined : { do: key === "z" && !press.shiftKey ? "undo" : "redo" };
  }
  if (press.key === "ArrowLeft" || press.key === "ArrowRight") {
    const by = press.key === "ArrowLeft" ? -1 : 1;
    return press.altKey ? { do: "nudge", by } : { do: "step", by: press.shiftKey ? 10 * by : by };
  }
  const keys: Record<string, C | Shared> = { ...PLAIN, ...own };
  const key = isChord(press) ? undefined : keyOf(press, (shown) => shown in keys);
  return key === undefined ? undefined : keys[key];
}

const PLAIN: Record<string, Shared> = {
  " ": { do: "toggle" },
  Delete: { do: "remove" },
  Backspace: { do: "remove" },
  Home: { do: "place", end: false },
  End: { do: "place", end: true },
  "1": { do: "speed", index: 0 },
  "2": { do: "speed", index: 1 },
  "3": { do: "speed", index: 2 },
  "4": { do: "speed", index: 3 },
  ",": { do: "jump", to: "words", direction: -1 },
  ".": { do: "jump", to: "words", direction: 1 },
};
