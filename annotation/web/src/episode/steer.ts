// Commands on pages that only show an episode.
import type { Command } from "../marking/keys";
import { SPEEDS, type Player } from "./player";

/** Run a command where nothing can be changed: go, play, jump. */
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
