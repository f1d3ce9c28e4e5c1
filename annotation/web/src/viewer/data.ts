// Data of datasets, episodes and reward models from the server.
import { ask } from "../api";
import { chunks } from "../episode/chunks";
import { Frames } from "../episode/frames";
import type { Declared, Words } from "../episode/types";

export interface Overview {
  datasets: { id: string; dataset: string; title: string; episodes: number; steps_per_second: number }[];
  models: string[];
  study: boolean; // false: there are only datasets to look at
}

export interface Choices {
  kinds: string[];
  splits: string[];
  players: string[];
  tasks: string[];
}

export interface Listed {
  id: string;
  name: string;
  steps: number;
  split: string;
  setter: string;
  solver: string;
  kind: string;
  tasks: string[];
  created: string;
  asked: string;
  requests: number;
  successes: number;
  marks: number;
  gold: string;
  hits: Words[];
}

export interface Page {
  total: number;
  pages: number;
  missing: number;
  episodes: Listed[];
}

export interface RaterRow {
  rater: string;
  scripted: boolean;
  marks: { step: number; sign: number }[];
}

export interface EpisodeView extends Declared {
  id: string;
  name: string;
  steps: number;
  steps_per_second: number;
  setter: string;
  solver: string;
  split: string;
  created: string;
  words: Words[];
  requests: { step: number; task: string; words: string; success: number | null }[];
  raters: RaterRow[];
  judgements: { judge: string; success: boolean; step: number | null; scripted: boolean; left_out: string }[];
  gold: string;
}

export type Trace =
  | { state: "ready"; kind: string; scale: number; utility: number[]; reward: number[]; mark_probability?: [number, number][] }
  | { state: "working"; seconds: number; before: number }
  | { state: "failed"; why: string };

export const FILTERS = { kind: "", split: "", player: "", task: "", outcome: "", shortest: "", longest: "", marks: "", words: "" };
export type Filters = typeof FILTERS;

export function list(project: string, filters: Filters, page: number): Promise<Page> {
  const asked = new URLSearchParams({ page: String(page) });
  for (const [name, value] of Object.entries(filters)) if (value.trim()) asked.set(name, value.trim());
  return ask<Page>("GET", `/api/look/${project}/episodes?${asked}`);
}

export async function open(project: string, episode: string): Promise<{ shown: EpisodeView; frames: Frames }> {
  const place = `/api/look/${project}/episodes/${episode}`;
  const shown = await ask<EpisodeView>("GET", place);
  return { shown, frames: new Frames(shown.steps, chunks(place)) };
}

/** Address of an episode's page at a step. */
export function address(project: string, episode: string, step = 0): string {
  return `#${project}/${episode}/${step}`;
}
