// The stretches of an episode under each of the setter's requests.
import type { Stretch, Words } from "./types";

/** One stretch for each of the setter's utterances that the solver hears; what is said at a step is heard at the next. */
export function stretches(words: Words[], steps: number): Stretch[] {
  const begins = words.filter((said) => said.who === "setter" && said.step + 1 < steps).map((said) => said.step + 1);
  return begins.map((begin, index) => ({ begin, until: begins[index + 1] ?? steps }));
}

/** The stretch of a step; before the first request, that of the first. */
export function stretchAt(found: Stretch[], step: number): Stretch | undefined {
  return found.reduce<Stretch | undefined>((last, each) => (each.begin <= step ? each : last), found[0]);
}
