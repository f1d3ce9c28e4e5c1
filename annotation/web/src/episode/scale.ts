// Places of an episode's steps on a line: even, or with the context before a step drawn closer together.

const JUDGED_SHARE = 0.6; // at least, of the line

export class Scale {
  private readonly split: number; // share of the line before `from`

  constructor(
    readonly steps: number,
    readonly from = 0,
  ) {
    this.split = Math.min(from / steps, 1 - JUDGED_SHARE);
  }

  /** Where a step begins (or, between two whole numbers, where it is by then), as a share of the line. */
  share(step: number): number {
    if (step < this.from) return (step / this.from) * this.split;
    return this.split + ((step - this.from) / (this.steps - this.from)) * (1 - this.split);
  }

  /** The step at a share of the line. */
  step(anywhere: number): number {
    const share = Math.max(0, Math.min(anywhere, 1)); // the mouse goes beyond its ends
    const place =
      share < this.split ? (share / this.split) * this.from : this.from + ((share - this.split) / (1 - this.split)) * (this.steps - this.from);
    return Math.max(0, Math.min(this.steps - 1, Math.floor(place + 1e-9)));
  }
}
