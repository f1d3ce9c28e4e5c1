// What the server sends to a player, see annotation/games/screen.py.

export type Role = "setter" | "solver" | "co_pilot";
export type State = "waiting" | "ready" | "playing" | "paused" | "judging" | "saving" | "ended" | "abandoned";
export type Said = "success" | "failure" | "no request";

export interface Line {
  step: number;
  role: Role;
  words: string;
}

export interface Asked {
  step: number;
  words: string;
  said: Said | null;
}

export interface View {
  state: State;
  step: number;
  steps: number;
  seconds_left: number;
  limit_sec: number | null;
  in_control: Role;
  can: string[];
  here: Role[];
  ready: Role[];
  lost: Role[];
  dialogue: Line[];
  asked: Asked[];
  notice: string;
  speed: number;
  saved: string;
  frame: number; // bytes of the picture
  grabs: string; // what a grab would take now
  grab_failed: string; // why a recent grab failed
  board: Board | null; // what this person can do now, where they choose from a list
  fulfilled: boolean[]; // after the game: of each request, where the world checks them
}

/** What a person can do and knows at one step, see worlds/live_play.py. */
export interface Board {
  step: number;
  things: Thing[];
  place: string;
  hands: string;
  feedback: string; // why the last action failed; "" if it succeeded
  goal: [words: string, wanted: number, known: number | null][];
}

export type Group = "oneself" | "rooms" | "near" | "far";
export type Thing = [group: Group, name: string, detail: string, choices: [key: string, words: string][]];

/** A game, as the lobby and its players see it. */
export interface Game {
  id: string;
  kind: Kind;
  dataset: string;
  prompted: boolean;
  state: State;
  role: Role | null;
  free: Role[];
  here: Role[];
  over: boolean;
}

export interface About extends Game {
  tutorial: boolean;
  taught: boolean; // begun on the page Teach, to which its setter returns
  recorded: boolean;
  seconds: number;
  places: string; // a sentence on which houses are played
  turn_based: boolean; // each step waits for a key, so no clock runs
  own_body: boolean; // the Playhouse's, with a mouse
  full_hands: boolean; // which rotate and throw
  chooses: boolean; // actions are chosen from a list
  task: { number: number; of: number } | null; // of a helped session, counted from 0
  keys: BodyKey[]; // of a body that its world declares; the Playhouse's are in hands.ts
  speaks: boolean; // the solver can
  taught_by: string; // world whose tutorial teaches the keys; "" for the Playhouse's
  prompt: { text: string; modifier: string } | null;
}

/** A key of a declared body, see annotation/games/body_keys.py. */
export interface BodyKey {
  codes: string[]; // of keys, as KeyboardEvent.code has them
  shown: string;
  name: string; // what it does
}

export type Kind = "human-human" | "human-agent" | "human-agent-human" | "evaluation" | "helped" | "practice-setting" | "practice-solving";

/** What earlier messages of a connection have said and later ones do not repeat. */
export interface Known {
  asked: Asked[];
  dialogue: Line[];
  board: Board | null;
}

type Header = Omit<View, "asked" | "board"> & { asked: Asked[] | null; board: Board | null | "same"; said: number };

/** True once nobody plays any more. */
export const isOver = (view: View | null): boolean => view?.state === "ended" || view?.state === "abandoned";

/** Parse a message: length of the header, the header as JSON, a JPEG (or nothing). It has what is new since `before`. */
export function parse(message: ArrayBuffer, before: Known): { view: View; picture: Blob | null } {
  const length = new DataView(message).getUint32(0);
  const { said, ...header } = JSON.parse(new TextDecoder().decode(new Uint8Array(message, 4, length))) as Header;
  const dialogue = header.dialogue.length ? [...before.dialogue.slice(0, said), ...header.dialogue] : before.dialogue;
  const board = header.board === "same" ? before.board : header.board;
  const view = { ...header, asked: header.asked ?? before.asked, dialogue, board };
  const picture = message.byteLength > 4 + length ? new Blob([new Uint8Array(message, 4 + length)], { type: "image/jpeg" }) : null;
  return { view, picture };
}

export const NAMES: Record<Role, string> = { setter: "setter", solver: "solver", co_pilot: "co-pilot" };

export const KINDS: Record<Kind, { name: string; what: string; cast: Record<string, "person" | "agent" | "scripted"> }> = {
  "human-human": { name: "Two people", what: "One asks, the other does.", cast: { setter: "person", solver: "person" } },
  "human-agent": { name: "A person and an agent", what: "You ask, an agent does.", cast: { setter: "person", solver: "agent" } },
  "human-agent-human": {
    name: "An agent with a co-pilot",
    what: "One asks, an agent does, and a co-pilot takes over when it goes wrong.",
    cast: { setter: "person", solver: "agent", co_pilot: "person" },
  },
  evaluation: {
    name: "Evaluate an agent",
    what: "You ask, an agent does, and you say of each request whether it succeeded. Which agent it is stays hidden.",
    cast: { setter: "person", solver: "agent" },
  },
  helped: {
    name: "You act, a helper helps",
    what: "You have a task at home. A helper does at every step what it thinks helps you; afterwards you rate it.",
    cast: { setter: "person", solver: "scripted" },
  },
  "practice-setting": {
    name: "Practise asking",
    what: "A scripted player does what you ask, as far as it understands. Nothing is recorded.",
    cast: { setter: "person", solver: "scripted" },
  },
  "practice-solving": { name: "A scripted setter", what: "A scripted player asks, you do. It is recorded.", cast: { setter: "scripted", solver: "person" } },
};

/** A duration in words. */
export function duration(seconds: number): string {
  return seconds % 60 ? `${seconds} seconds` : seconds === 60 ? "a minute" : `${seconds / 60} minutes`;
}

/** Minutes and seconds. */
export function clock(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}

/** Steps that are left in a turn-based world. */
export function turns(left: number): string {
  return left === 1 ? "1 turn left" : `${left} turns left`;
}

/** The outcome of a game's requests in words, where its world checks them; "" elsewhere. */
export function outcome(fulfilled: boolean[]): string {
  const done = fulfilled.filter(Boolean).length;
  if (fulfilled.length === 0) return "";
  if (fulfilled.length === 1) return done ? "The task was achieved." : "The task was not achieved.";
  return `${done} of ${fulfilled.length} requests were fulfilled.`;
}

/** The line that a verdict by key is about: the newest without a verdict. */
export function openRequest(asked: Asked[]): Asked | undefined {
  return [...asked].reverse().find((line) => line.said === null);
}
