// The marks of one episode while a rater works on them, with undo and redo. Knows neither screen nor server.

import type { Mark, Sign, Stretch } from "../episode/types";

type State = Pick<Mark, "step" | "sign" | "deleted" | "until">;

interface Change {
  id: string;
  before: State;
  after: State;
}

export class Marks {
  private readonly all = new Map<string, Mark>();
  private done: Change[] = [];
  private undone: Change[] = [];

  constructor(
    marks: Iterable<Mark>,
    readonly steps: number,
    private readonly newId: () => string = () => crypto.randomUUID(),
  ) {
    for (const mark of marks) this.learn(mark);
  }

  /** Every mark of a moment that is not deleted, by step. */
  living(): Mark[] {
    return this.kept.filter((mark) => mark.until == null);
  }

  /** Every verdict that is not taken back, by step. */
  verdicts(): Mark[] {
    return this.kept.filter((mark) => mark.until != null);
  }

  /** All that is said, by step. */
  get kept(): Mark[] {
    return [...this.all.values()].filter((mark) => !mark.deleted).sort((a, b) => a.step - b.step);
  }

  get(id: string | null): Mark | undefined {
    const mark = id === null ? undefined : this.all.get(id);
    return mark?.deleted ? undefined : mark;
  }

  at(step: number): Mark | undefined {
    return this.living().find((mark) => mark.step === step);
  }

  /** The next living mark after (direction 1) or before (-1) a step. */
  beyond(step: number, direction: 1 | -1): Mark | undefined {
    const living = this.living();
    return direction === 1 ? living.find((mark) => mark.step > step) : living.reverse().find((mark) => mark.step < step);
  }

  /** Take over the state of a mark from the server or an earlier visit, if it is newer. Returns whether it is. */
  learn(mark: Mark): boolean {
    const newer = mark.revision > (this.all.get(mark.id)?.revision ?? 0);
    if (newer) this.all.set(mark.id, mark);
    return newer;
  }

  /** Mark a step; an existing mark takes the new sign. Returns the changed mark, if anything changed. */
  put(step: number, sign: Sign): Mark | undefined {
    return this.say(this.at(step), { step, sign, deleted: false, until: null });
  }

  /** Judge the request of a stretch; an existing verdict takes the new sign. Returns the changed one, if any changed. */
  judge({ begin, until }: Stretch, sign: Sign): Mark | undefined {
    const there = this.verdicts().find((verdict) => verdict.step === begin && verdict.until === until);
    return this.say(there, { step: begin, sign, deleted: false, until });
  }

  remove(id: string): Mark | undefined {
    const mark = this.get(id);
    return mark && this.change(id, { ...mark, deleted: true });
  }

  /** Move a mark to a step, or, if that has a mark, to the nearest free step beyond it. */
  move(id: string, step: number): Mark | undefined {
    const mark = this.get(id);
    if (!mark || step === mark.step) return undefined;
    const direction = step > mark.step ? 1 : -1;
    let place = Math.min(Math.max(step, 0), this.steps - 1);
    while (this.at(place) !== undefined && this.at(place) !== mark) place += direction;
    if (place < 0 || place >= this.steps || place === mark.step) return undefined;
    return this.change(id, { ...mark, step: place });
  }

  get canUndo(): boolean {
    return this.done.length > 0;
  }

  get canRedo(): boolean {
    return this.undone.length > 0;
  }

  undo(): Mark | undefined {
    const change = this.done.pop();
    if (!change) return undefined;
    this.undone.push(change);
    return this.set(change.id, change.before);
  }

  redo(): Mark | undefined {
    const change = this.undone.pop();
    if (!change) return undefined;
    this.done.push(change);
    return this.set(change.id, change.after);
  }

  private say(there: Mark | undefined, now: State): Mark | undefined {
    if (there) return there.sign === now.sign ? undefined : this.change(there.id, now);
    const id = this.newId();
    this.all.set(id, { id, revision: 0, ...now, deleted: true });
    return this.change(id, now);
  }

  private change(id: string, after: State): Mark {
    this.done.push({ id, before: stateOf(this.all.get(id)!), after: stateOf(after) });
    this.undone = [];
    return this.set(id, stateOf(after));
  }

  private set(id: string, state: State): Mark {
    const mark = { id, revision: this.all.get(id)!.revision + 1, ...state };
    this.all.set(id, mark);
    return mark;
  }
}

const stateOf = ({ step, sign, deleted, until }: State): State => ({ step, sign, deleted, until });
