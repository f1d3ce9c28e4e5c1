// A demonstration that a rater watches. Nothing that the server sends names the goal.
import { LocalStore, type WorkInfo } from "../saving/local_store";
import type { SaidGoal } from "./goal";

/** A predicate that can be said of the goal: its words stand beneath the heading of its group. */
export interface Choice {
  name: string;
  words: string;
  most: number; // largest count
}

export interface ChoiceGroup {
  group: string;
  choices: Choice[];
}

export interface Demonstration extends WorkInfo {
  steps_per_second: number;
  choices: ChoiceGroup[];
  title: string; // of the project
  instructions: string;
  answer: Omit<SaidGoal, "id">;
  submitted: boolean;
}

export const GOALS = new LocalStore<SaidGoal, Demonstration>("rlhf-watching");
