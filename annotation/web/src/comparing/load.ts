// A pair of clips that a rater compares. Nothing that the server sends reveals the player.
import type { Words } from "../episode/types";
import { LocalStore, type WorkInfo } from "../saving/local_store";
import type { SaidAnswer } from "./answer";

export interface Clip {
  request: string; // what the setter had asked; "": nothing
  words: Words[]; // steps count from the clip's first; what was said before it has negative ones
  actions?: string[]; // what the solver does at every step, in a world with declared spaces
}

/** Two clips of one length. `steps` counts the pictures of both: those of the left clip, then those of the right one. */
export interface ClipPair extends WorkInfo {
  steps_per_second: number;
  clips: [Clip, Clip]; // left, right
  pictured?: boolean; // false: no pictures were recorded, what was observed is drawn plainly
  title: string; // of the project
  instructions: string;
  answer: Omit<SaidAnswer, "id">;
  submitted: boolean;
}

export const ANSWERS = new LocalStore<SaidAnswer, ClipPair>("rlhf-comparing");
