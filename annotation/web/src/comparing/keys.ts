// Keys of the page that compares clips.
import { pressed, type Shared } from "../episode/keys";
import type { Press } from "../keyboard";
import type { Given } from "./answer";

export type Command = Shared | { do: "answer"; answer: Given } | { do: "next" };

/** The command of a key press; undefined for other keys. */
export const command = (press: Press): Command | undefined => pressed<Command>(press, COMPARING);

const COMPARING: Record<string, Command> = {
  a: { do: "answer", answer: "left" },
  b: { do: "answer", answer: "right" },
  s: { do: "answer", answer: "same" },
  "=": { do: "answer", answer: "same" },
  u: { do: "answer", answer: "cannot tell" },
  Enter: { do: "next" },
};
