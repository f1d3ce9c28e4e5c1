// Keys that are pressed anywhere on a page, as commands.
import { useEffect, useRef } from "preact/hooks";
import { command, type Command } from "./keys";

export function useKeys(obey: (asked: Command) => void, active: boolean): void {
  const latest = useRef(obey);
  latest.current = obey;
  useEffect(() => {
    if (!active) return undefined;
    const press = (event: KeyboardEvent) => {
      const target = event.target as HTMLElement;
      const asked = command(event);
      const own = target.closest("button, a, summary") && (event.key === " " || event.key === "Enter");
      if (!asked || own || target.closest("input, textarea, select")) return;
      event.preventDefault();
      latest.current(asked);
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, [active]);
}
