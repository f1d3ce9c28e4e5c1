// A judge's work. Nothing that the server sends reveals the agent.
import type { EpisodeInfo } from "../episode/types";
import { LocalStore } from "../saving/local_store";
import type { SaidVerdict } from "./verdict";

export interface Continuation extends EpisodeInfo {
  takes_over: number; // the first step that is judged
  request_step: number;
  request: string;
  verdict: Omit<SaidVerdict, "id">;
}

export const VERDICTS = new LocalStore<SaidVerdict, Continuation>("rlhf-judging");
