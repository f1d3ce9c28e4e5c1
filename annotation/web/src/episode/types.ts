// Data of an episode on every page that shows one.

export interface Words {
  step: number;
  who: "setter" | "solver";
  words: string;
}

/** Fields of an episode in a world with declared spaces; the Playhouse has none of them. */
export interface Declared {
  actions?: string[]; // what the solver does at every step
  pictured?: boolean; // false: no pictures were recorded, what was observed is drawn plainly
}

/** What is said in an episode, and done. */
export interface Spoken extends Declared {
  words: Words[];
}

export type Sign = 1 | -1;

/**
 * A mark as the server keeps it; of two edits of one mark the one with the higher revision counts.
 * With `until` it is a verdict on the steps from `step` up to that one: the request heard there was done, or was not.
 */
export interface Mark {
  id: string;
  revision: number;
  step: number;
  sign: Sign;
  deleted: boolean;
  until?: number | null;
}

/** The steps under one request: from the first at which the solver hears it up to `until`, which is of the next. */
export interface Stretch {
  begin: number;
  until: number;
}
