// Keys that are pressed anywhere on a page, as commands.
import { useEffect, useRef } from "preact/hooks";
import { command, type Command } from "./keys";
import { SPEEDS, type Player } from "./player";

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

/** Do what a command asks for where nothing can be changed: go, play, jump. */
export function steer(asked: Command, player: Player, steps: { mark: number[]; words: number[] }): void {
  if (asked.do === "step") player.go(player.step + asked.by);
  else if (asked.do === "place") player.go(asked.end ? Infinity : 0);
  else if (asked.do === "toggle") player.toggle();
  else if (asked.do === "speed") player.setSpeed(SPEEDS[asked.index] ?? 1);
  else if (asked.do === "jump") {
    const there = asked.direction === 1 ? steps[asked.to] : [...steps[asked.to]].reverse();
    const next = there.find((step) => (asked.direction === 1 ? step > player.step : step < player.step));
    if (next !== undefined) player.go(next);
  }
}
