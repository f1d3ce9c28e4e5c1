// Which steps of an episode a rater has seen, as ranges. Knows neither screen nor server.

export type Range = [first: number, last: number];

const BARELY = 0.5; // of the steps; as in annotation/server/services/submissions.py

export class Seen {
  private readonly shown: Uint8Array;

  constructor(
    ranges: Iterable<Range>,
    readonly steps: number,
  ) {
    this.shown = new Uint8Array(steps);
    for (const [first, last] of ranges) this.shown.fill(1, first, last + 1);
  }

  add(step: number): void {
    this.shown[step] = 1;
  }

  /** Share of the steps that were seen. */
  share(): number {
    return this.shown.reduce((sum, one) => sum + one, 0) / this.steps;
  }

  /** The steps that were seen. Of more ranges than the server takes, the shortest gaps count as seen. */
  ranges(most = 2000): Range[] {
    const found: Range[] = [];
    this.shown.forEach((one, step) => {
      const last = found[found.length - 1];
      if (one && last && last[1] === step - 1) last[1] = step;
      else if (one) found.push([step, step]);
    });
    while (found.length > most) {
      const gap = (index: number) => found[index + 1]![0] - found[index]![1];
      let shortest = 0;
      for (let index = 1; index < found.length - 1; index++) if (gap(index) < gap(shortest)) shortest = index;
      found.splice(shortest, 2, [found[shortest]![0], found[shortest + 1]![1]]);
    }
    return found;
  }
}

/** What to ask before an episode is submitted; "" where there is nothing to ask. */
export function question(marks: number, share: number): string {
  const seen = `You have seen ${Math.round(100 * share)}% of this episode`;
  if (share < BARELY && marks === 0) return `${seen} and marked nothing. Submit it all the same?`;
  if (share < BARELY) return `${seen}. Submit it all the same?`;
  return marks === 0 ? "You have marked nothing in this episode. Submit it all the same?" : "";
}
