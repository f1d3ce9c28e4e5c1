// Keys of the page on which goals are inferred.
import { pressed, type Shared } from "../episode/keys";
import type { Press } from "../keyboard";

export type Command = Shared | { do: "next" } | { do: "form" };

/** The command of a key press; undefined for other keys. */
export const command = (press: Press): Command | undefined => pressed<Command>(press, WATCHING);

const WATCHING: Record<string, Command> = {
  Enter: { do: "next" },
  g: { do: "form" },
};
