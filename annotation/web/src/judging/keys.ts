// Keys of the judging page.
import { pressed, type Shared } from "../episode/keys";
import type { Press } from "../keyboard";

export type Command = Shared | { do: "succeed" | "fail" | "next" | "take-over" } | { do: "leave-out"; reason: "no request" | "cannot tell" };

/** The command of a key press; undefined for other keys. */
export const command = (press: Press): Command | undefined => pressed<Command>(press, JUDGING);

const JUDGING: Record<string, Command> = {
  s: { do: "succeed" },
  y: { do: "succeed" },
  "+": { do: "succeed" },
  f: { do: "fail" },
  n: { do: "fail" },
  "-": { do: "fail" },
  x: { do: "leave-out", reason: "no request" },
  u: { do: "leave-out", reason: "cannot tell" },
  t: { do: "take-over" },
  "[": { do: "take-over" },
  Enter: { do: "next" },
};
