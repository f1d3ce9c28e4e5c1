// Keys and clicks of pages that show an episode.
import { useLayoutEffect, useRef } from "preact/hooks";
import { isForFocused } from "../keyboard";

/** Run commands of keys: `read` returns the command of a press. */
export function useKeys<C>(read: (press: KeyboardEvent) => C | undefined, obey: (asked: C) => void, active: boolean): void {
  const latest = useRef(obey);
  latest.current = obey;
  // Before the page is drawn: people may press a key as soon as they see it.
  useLayoutEffect(() => {
    if (!active) return undefined;
    const press = (event: KeyboardEvent) => {
      const asked = read(event);
      if (!asked || isForFocused(event)) return;
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
