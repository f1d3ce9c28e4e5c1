// A rater's answer to one pair of clips, with undo and redo. Knows neither screen nor server.
import type { Edit } from "../saving/local_store";
import { Undoable } from "../saving/undoable";

/** The better clip by its side of the page, or none of them; "": no answer yet, or taken back. */
export type Given = "" | "left" | "right" | "same" | "cannot tell";

export interface SaidAnswer extends Edit {
  answer: Given;
}

export class Answer extends Undoable<SaidAnswer> {
  /** Answer. Returns what is new to say, if anything is. */
  give(answer: Given): SaidAnswer | undefined {
    return this.change({ answer });
  }
}
