// Keys of the pages that show an episode.

/** Commands of all these pages. */
export type Shared =
  | { do: "step"; by: number }
  | { do: "place"; end: boolean }
  | { do: "toggle" | "remove" | "undo" | "redo" }
  | { do: "speed"; index: number }
  | { do: "jump"; to: "words"; direction: 1 | -1 }
  | { do: "nudge"; by: 1 | -1 };

/** Commands of the marking page. */
export type Command = Shared | { do: "put"; sign: 1 | -1 } | { do: "jump"; to: "mark"; direction: 1 | -1 };

export type Press = Pick<KeyboardEvent, "key" | "shiftKey" | "altKey" | "ctrlKey" | "metaKey">;

/** The command of a key press on the marking page; undefined for other keys. */
export const command = (press: Press): Command | undefined => pressed<Command>(press, MARKING);

/** The command of a key press on a page with keys of its `own`; undefined for other keys. */
export function pressed<C>(press: Press, own: Record<string, C>): C | Shared | undefined {
  const key = press.key.length === 1 ? press.key.toLowerCase() : press.key;
  if (press.ctrlKey || press.metaKey) {
    if (key === "z") return { do: press.shiftKey ? "redo" : "undo" };
    return key === "y" ? { do: "redo" } : undefined;
  }
  if (key === "ArrowLeft" || key === "ArrowRight") {
    const by = key === "ArrowLeft" ? -1 : 1;
    return press.altKey ? { do: "nudge", by } : { do: "step", by: press.shiftKey ? 10 * by : by };
  }
  return press.altKey ? undefined : (own[key] ?? PLAIN[key]);
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

const MARKING: Record<string, Command> = {
  "+": { do: "put", sign: 1 },
  "=": { do: "put", sign: 1 },
  p: { do: "put", sign: 1 },
  "-": { do: "put", sign: -1 },
  _: { do: "put", sign: -1 },
  "−": { do: "put", sign: -1 },
  n: { do: "put", sign: -1 },
  "[": { do: "jump", to: "mark", direction: -1 },
  "]": { do: "jump", to: "mark", direction: 1 },
};
