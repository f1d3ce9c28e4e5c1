// The list from which a person chooses: which things are shown, in which order, and where the arrow keys lead.
import type { Board, Group, Thing } from "./view";

const GROUPS: [group: Group, title: string][] = [
  ["near", "Within reach"],
  ["far", "In sight"],
];

/** The things of a board that are listed with their actions, by group, as far as they match what was typed. */
export function listed(board: Board, typed: string): [title: string, things: Thing[]][] {
  return GROUPS.map(([group, title]) => [title, board.things.filter((thing) => thing[0] === group && matches(thing, typed))]);
}

/** The things of one group. */
export function ofGroup(board: Board, group: Group): Thing[] {
  return board.things.filter((thing) => thing[0] === group);
}

/** Return true if every word that was typed begins a word of the thing's name, details or actions. */
export function matches(thing: Thing, typed: string): boolean {
  const [, name, detail, choices] = thing;
  const words = [name, detail, ...choices.map((choice) => choice[1])].join(" ").toLowerCase().split(/[^\p{L}\p{N}]+/u);
  return typed
    .toLowerCase()
    .split(/\s+/)
    .filter(Boolean)
    .every((part) => words.some((word) => word.startsWith(part)));
}

/** Progress of a part of the goal in words. */
export function progress(wanted: number, known: number | null): string {
  if (known === null) return "not seen yet";
  return known >= wanted ? "done" : wanted === 1 ? "not done" : `${known} of ${wanted}`;
}

/** The number of the button to which an arrow key leads from button `at` of `count`; null for other keys. -1 is the field above. */
export function arrowed(key: string, at: number, count: number): number | null {
  if (key === "ArrowDown" || key === "ArrowRight") return Math.min(at + 1, count - 1);
  if (key === "ArrowUp" || key === "ArrowLeft") return at - 1;
  if (key === "Home") return 0;
  if (key === "End") return count - 1;
  return null;
}
