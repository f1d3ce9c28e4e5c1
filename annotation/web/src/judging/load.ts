// What a judge works on. Nothing that the server sends tells whose continuation it is.
import { Shelf, type Shown } from "../marking/kept";
import type { SaidVerdict } from "./verdict";

export interface Continuation extends Shown {
  takes_over: number; // the first step that is judged
  request_step: number;
  request: string;
  verdict: Omit<SaidVerdict, "id">;
}

export const VERDICTS = new Shelf<SaidVerdict, Continuation>("rlhf-judging");
