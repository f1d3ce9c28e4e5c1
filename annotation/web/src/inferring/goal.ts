// What a rater says that the setter wanted, with undo and redo. Knows neither screen nor server.
import { keyOf, type Press } from "../keyboard";
import type { Edit } from "../saving/local_store";
import { Undoable } from "../saving/undoable";

/** A predicate that can be said of the goal: its words stand beneath the heading of its group. */
export interface Choice {
  name: string;
  words: string;
  most: number; // largest count
}

export interface ChoiceGroup {
  group: string;
  choices: Choice[];
}

/** Counts of predicates by name; those that are not there are 0. */
export type Counts = Record<string, number>;

export interface SaidGoal extends Edit {
  goal: Counts;
}

export class Goal extends Undoable<SaidGoal> {
  /** Return the count of a predicate. */
  count(choice: Choice): number {
    return this.now.goal[choice.name] ?? 0;
  }

  /** Set the count of a predicate, as near as can be to `wanted`. Returns what is new to say, if anything is. */
  say(choice: Choice, wanted: number): SaidGoal | undefined {
    const count = Math.max(0, Math.min(Math.trunc(wanted), choice.most));
    if (count === this.count(choice)) return undefined;
    const { [choice.name]: _, ...others } = this.now.goal;
    return this.change({ goal: count ? { ...others, [choice.name]: count } : others });
  }

  /** Set all counts to 0. */
  clear(): SaidGoal | undefined {
    return this.empty ? undefined : this.change({ goal: {} });
  }

  /** Say that it cannot be told, which is an answer, too. */
  leaveOpen(): SaidGoal | undefined {
    return this.change({ goal: {} });
  }

  get empty(): boolean {
    return Object.keys(this.now.goal).length === 0;
  }
}

/** The goal in words, a line for each group of which something is said. */
export function inWords(goal: Counts, groups: ChoiceGroup[]): string[] {
  return groups.flatMap(({ group, choices }) => {
    const said = choices.filter((choice) => goal[choice.name]).map((choice) => (choice.most > 1 ? `${choice.words} × ${goal[choice.name]}` : choice.words));
    return said.length ? [`${group}: ${said.join(", ")}`] : [];
  });
}

const CHANGES: Record<string, number> = { ArrowUp: 1, "+": 1, ArrowDown: -1, "-": -1, Delete: -Infinity, Backspace: -Infinity };

/** The count that a key asks for in the row of a predicate; undefined for other keys. */
export function countOf(press: Press, now: number, most: number): number | undefined {
  const digit = keyOf(press, (shown) => /^\d$/.test(shown)); // first: on some keyboards the key of 6 types a minus
  if (digit) return Number(digit) <= most ? Number(digit) : undefined;
  const key = keyOf(press, (shown) => shown in CHANGES);
  return key === undefined ? undefined : Math.max(0, Math.min(most, now + CHANGES[key]!));
}
