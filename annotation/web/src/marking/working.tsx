// What every bench has: keys, how long somebody has worked, and whether what they said is saved.
import { useCallback, useEffect, useRef } from "preact/hooks";
import type { SavedState } from "./queue";

/** Have the page obey keys: `read` tells what a press asks for. */
export function useKeys<C>(read: (press: KeyboardEvent) => C | undefined, obey: (asked: C) => void, active: boolean): void {
  const latest = useRef(obey);
  latest.current = obey;
  useEffect(() => {
    if (!active) return undefined;
    const press = (event: KeyboardEvent) => {
      const target = event.target as HTMLElement;
      const asked = read(event);
      const own = target.closest("button, a, summary") && (event.key === " " || event.key === "Enter");
      if (!asked || own || target.closest("input, textarea, select")) return;
      event.preventDefault();
      latest.current(asked);
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, [active]);
}

/** What is clicked does not get the focus: the next key is for the page, not for the button. */
export function keepFocus(event: MouseEvent): void {
  if ((event.target as HTMLElement).closest("button, summary")) event.preventDefault();
}

/** Where somebody is and how long they have worked on the episode: time during which the page was in use. */
export function usePlace(step: number, before: number): () => { position: number; active_sec: number } {
  const position = useRef(step);
  const active = useRef({ total: before, last: performance.now() });
  position.current = step;
  const count = () => {
    const now = performance.now();
    active.current.total += Math.min(now - active.current.last, 10_000) / 1000; // longer pauses are pauses
    active.current.last = now;
  };
  useEffect(count, [step]);
  return useCallback(() => {
    count();
    return { position: position.current, active_sec: Math.round(active.current.total) };
  }, []);
}

export function Saved(props: { state: SavedState }) {
  const { waiting, trouble, lost } = props.state;
  const count = `${waiting} ${waiting === 1 ? "change" : "changes"}`;
  const kind = waiting === 0 ? "good" : trouble ? "bad" : "busy";
  const said = waiting === 0 ? "all saved" : lost ? `no connection: ${count} kept in this browser` : trouble ? `${count} not saved: ${trouble}` : "saving…";
  return (
    <span class={`saved ${kind}`} role="status" data-waiting={waiting}>
      {said}
    </span>
  );
}
