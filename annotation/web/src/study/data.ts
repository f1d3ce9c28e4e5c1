// The answers of the server to a study leader.

export interface Project {
  id: string;
  dataset: string;
  title: string;
  instructions: string;
  overlap: number;
  strategy: string;
  open: boolean;
  marking: boolean;
  tolerance: number;
  gold_every: number;
  export_gold: boolean;
  steps_per_second: number; // of its world
  place_settings: string; // of games' houses, a JSON object; "": not set here
  world_options: string; // of games, a JSON object; "": not set here
  places: string; // a sentence on where games without an agent are played now
  episodes: number;
  gold: number;
  wanted: number;
  submitted: number;
  begun: number;
  exported: number;
  marks_per_five_minutes: number | null;
}

export interface Person {
  id: string;
  name: string;
  pseudonym: string;
  roles: string[];
  active: boolean;
  projects: string[];
  consented: number | null;
  played: number; // recorded episodes
  judged: number; // continuations
  episodes: number; // marked and submitted
  marks: number;
  marks_per_five_minutes: number | null;
  minutes_per_episode: number | null;
}

export interface Invitation {
  id: string;
  role: string;
  note: string;
  expires: number;
  again: boolean;
  projects: string[];
}

export interface Data {
  projects: Project[];
  people: Person[];
  invitations: Invitation[];
  dataset_troubles: string[];
  export_trouble: string;
  consent_version: number;
  removals: number; // people whose data is being deleted
  removal_trouble: string;
}

/** Submitted work, or work that was sent back. */
export interface Submission {
  id: string;
  episode: string;
  episode_key: string;
  steps: number;
  rater: string; // pseudonym
  marks: number;
  seen: number | null; // share of the steps; null: not known
  active_sec: number;
  submitted: number | null; // null: sent back
  reason: string; // why it was last sent back
  to_another: boolean;
  doubts: string[];
}

/** A number with its 95% interval; null: there is none. */
export interface Estimate {
  value: number | null;
  low: number | null;
  high: number | null;
}

/** A share, and what chance gives. */
export interface AboveChance extends Estimate {
  chance: number | null;
}

export interface RaterMeasures {
  rater: string;
  episodes: number;
  share: number | null;
  share_others: number | null;
  rate: number | null;
  rate_others: number | null;
  share_difference: Estimate;
  rate_difference: Estimate;
  lag: Estimate;
}

export interface Measures {
  submissions: number;
  marks: number;
  shared: number;
  over_time: { every_sec: number; bins: { begin: number; episodes: number; marks: number }[] };
  rates: number[];
  minutes: number[];
  seen: number[]; // shares of episodes
  agreement: {
    alpha: Estimate;
    whether: AboveChance;
    sign: AboveChance;
    overall: AboveChance;
    pairs: { raters: [string, string]; episodes: number; whether: AboveChance; sign: AboveChance }[];
  };
  raters: RaterMeasures[];
  gold: { rater: string; purpose: string; episodes: number; precision: number | null; recall: number | null; f1: number | null }[];
}

export interface Measured {
  measures: Measures | null;
  computed: number | null;
  working: boolean; // newer numbers are being computed
  outdated: boolean; // they will be soon
  trouble: string;
  gold_episodes: { id: string; name: string; purpose: string; source: string; marks: number; done: number }[];
}

export const ROLES = ["rater", "setter", "solver", "co-pilot", "judge", "admin"];

/** Asks the server for a change; true if it was made, otherwise the page shows why not. */
export type Change = (method: string, path: string, body?: unknown) => Promise<boolean>;

/** The name of a project on the page. */
export function called(project: Pick<Project, "title" | "dataset">): string {
  return project.title || (project.dataset === "." ? "(the folder itself)" : project.dataset);
}

/** Where the server has how a project's episodes are marked. */
export const markingOf = (project: Project) => `/api/tasks/marking/projects/${project.id}`;
