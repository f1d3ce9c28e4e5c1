// A judge's verdict on one continuation, with undo and redo. Knows neither screen nor server.
import type { Edit } from "../saving/local_store";
import { Undoable, type State } from "../saving/undoable";

/** Reasons for which a verdict counts neither as success nor as failure. */
export type LeftOut = "" | "no request" | "cannot tell";

/** Success at a step, failure (no step), left out for a reason, or nothing (null): no verdict yet, or withdrawn. */
export interface SaidVerdict extends Edit {
  success: boolean | null;
  step: number | null;
  left_out: LeftOut;
}

const NOTHING: State<SaidVerdict> = { success: null, step: null, left_out: "" };

export class Verdict extends Undoable<SaidVerdict> {
  /** What is judged are the steps from `from` to the last of `steps`. */
  constructor(
    said: SaidVerdict,
    readonly from: number,
    readonly steps: number,
  ) {
    super(said);
  }

  /** Return true once there is a verdict, of whatever kind. */
  get given(): boolean {
    return this.now.success !== null || this.now.left_out !== "";
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
    if (!this.now.success) return undefined;
    return this.change({ left_out: "", success: true, step: Math.max(this.from, Math.min(step, this.steps - 1)) });
  }
}
