// A judge's verdict on one continuation, with undo and redo. Knows neither screen nor server.
import type { Edit } from "../saving/local_store";

/** Reasons for which a verdict counts neither as success nor as failure. */
export type LeftOut = "" | "no request" | "cannot tell";

/** Success at a step, failure (no step), left out for a reason, or nothing (null): no verdict yet, or withdrawn. */
export interface SaidVerdict extends Edit {
  success: boolean | null;
  step: number | null;
  left_out: LeftOut;
}

type State = Pick<SaidVerdict, "success" | "step" | "left_out">;

const NOTHING: State = { success: null, step: null, left_out: "" };

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

  /** Return true once there is a verdict, of whatever kind. */
  get given(): boolean {
    return this.said.success !== null || this.said.left_out !== "";
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
    return this.judged(step) ? this.change({ success: true, step, left_out: "" }) : undefined;
  }

  fail(): SaidVerdict | undefined {
    return this.change({ success: false, step: null, left_out: "" });
  }

  /** The continuation cannot be judged, for this reason. */
  leaveOut(reason: LeftOut): SaidVerdict | undefined {
    return this.change({ ...NOTHING, left_out: reason });
  }

  takeBack(): SaidVerdict | undefined {
    return this.change(NOTHING);
  }

  /** Move the moment of success to a step, or as far towards it as can be. */
  move(step: number): SaidVerdict | undefined {
    if (!this.said.success) return undefined;
    return this.change({ left_out: "", success: true, step: Math.max(this.from, Math.min(step, this.steps - 1)) });
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
    return { success: this.said.success, step: this.said.step, left_out: this.said.left_out };
  }

  private change(state: State): SaidVerdict | undefined {
    if (state.success === this.said.success && state.step === this.said.step && state.left_out === this.said.left_out) return undefined;
    this.done.push(this.state());
    this.undone = [];
    return this.set(state);
  }

  private set(state: State): SaidVerdict {
    this.said = { ...this.said, ...state, revision: this.said.revision + 1 };
    return this.said;
  }
}
