// What a rater says that the setter wanted, with undo and redo. Knows neither screen nor server.
import type { Edit } from "../saving/local_store";
import { Undoable } from "../saving/undoable";
import type { Choice, ChoiceGroup } from "./load";

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

/** The count that a key asks for in the row of a predicate; undefined for other keys. */
export function countOf(key: string, now: number, most: number): number | undefined {
  if (key === "ArrowUp" || key === "+" || key === "=") return Math.min(most, now + 1);
  if (key === "ArrowDown" || key === "-") return Math.max(0, now - 1);
  if (key === "Delete" || key === "Backspace") return 0;
  return /^\d$/.test(key) && Number(key) <= most ? Number(key) : undefined;
}
