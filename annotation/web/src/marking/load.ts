// The episode that a rater marks, and the marks that this browser keeps.
import { LocalStore } from "../saving/local_store";
import type { EpisodeInfo, Mark } from "../episode/types";
import type { Range } from "./seen";

export interface Episode extends EpisodeInfo {
  marks: Mark[];
  training: boolean; // known marks are shown after it is submitted
  title: string; // of its project
  instructions: string;
  seen: Range[]; // steps that were shown on earlier visits
  returned: string; // why the leader sent it back; "" otherwise
}

export const MARKS = new LocalStore<Mark, Episode>("rlhf-marking");
