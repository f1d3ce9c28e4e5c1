// Keys of the marking page, and of pages that show marks.
import { pressed, type Shared } from "../episode/keys";
import type { Press } from "../keyboard";

export type Command = Shared | { do: "put" | "judge"; sign: 1 | -1 } | { do: "jump"; to: "mark"; direction: 1 | -1 };

/** The command of a key press; undefined for other keys. */
export const command = (press: Press): Command | undefined => pressed<Command>(press, MARKING);

const MARKING: Record<string, Command> = {
  "+": { do: "put", sign: 1 },
  p: { do: "put", sign: 1 },
  "-": { do: "put", sign: -1 },
  n: { do: "put", sign: -1 },
  s: { do: "judge", sign: 1 },
  y: { do: "judge", sign: 1 },
  f: { do: "judge", sign: -1 },
  "[": { do: "jump", to: "mark", direction: -1 },
  "]": { do: "jump", to: "mark", direction: 1 },
};
