// What a judge says of one continuation, with undo and redo. Knows neither screen nor server.
import type { Edit } from "../saving/local_store";

/** Success at a step, failure (no step), or nothing (null): not said yet, or taken back. */
export interface SaidVerdict extends Edit {
  success: boolean | null;
  step: number | null;
}

type State = Pick<SaidVerdict, "success" | "step">;

const NOTHING: State = { success: null, step: null };

export class Verdict {
  private said: SaidVerdict;
  private done: State[] = [];
  private undone: State[] = [];

  /** What is judged are the steps from `from` to the last of `steps`. */
  constructor(
    said: SaidVerdict,
    readonly from: number,
    readonly steps: number,
  ) {
    this.said = said;
  }

  get now(): SaidVerdict {
    return this.said;
  }

  /** Take over what the server or an earlier visit says, if it is newer. */
  learn(said: SaidVerdict): void {
    if (said.revision > this.said.revision) this.said = said;
  }

  /** Whether success at this step can be said. */
  judged(step: number): boolean {
    return step >= this.from && step < this.steps;
  }

  /** It succeeded, at this step. Returns what is new to say, if anything is. */
  succeed(step: number): SaidVerdict | undefined {
    return this.judged(step) ? this.change({ success: true, step }) : undefined;
  }

  fail(): SaidVerdict | undefined {
    return this.change({ success: false, step: null });
  }

  takeBack(): SaidVerdict | undefined {
    return this.change(NOTHING);
  }

  /** Move the moment of success to a step, or as far towards it as can be. */
  move(step: number): SaidVerdict | undefined {
    if (!this.said.success) return undefined;
    return this.change({ success: true, step: Math.max(this.from, Math.min(step, this.steps - 1)) });
  }

  get canUndo(): boolean {
    return this.done.length > 0;
  }

  get canRedo(): boolean {
    return this.undone.length > 0;
  }

  undo(): SaidVerdict | undefined {
    const before = this.done.pop();
    if (!before) return undefined;
    this.undone.push(this.state());
    return this.set(before);
  }

  redo(): SaidVerdict | undefined {
    const after = this.undone.pop();
    if (!after) return undefined;
    this.done.push(this.state());
    return this.set(after);
  }

  private state(): State {
    return { success: this.said.success, step: this.said.step };
  }

  private change(state: State): SaidVerdict | undefined {
    if (state.success === this.said.success && state.step === this.said.step) return undefined;
    this.done.push(this.state());
    this.undone = [];
    return this.set(state);
  }

  private set(state: State): SaidVerdict {
    this.said = { ...this.said, ...state, revision: this.said.revision + 1 };
    return this.said;
  }
}
