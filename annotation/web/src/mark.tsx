// The rater's page.
import { Bench } from "./marking/bench";
import { loadWork, MARKS } from "./marking/load";
import { Workplace } from "./workplace";

export function Mark() {
  return (
    <Workplace
      title="Mark episodes"
      load={(person) => loadWork(person, "/api/marking", MARKS)}
      bench={(person, work, onNext) => <Bench key={work.episode.id} person={person} work={work} onNext={onNext} />}
      done="There is no episode for you to mark just now."
    />
  );
}
