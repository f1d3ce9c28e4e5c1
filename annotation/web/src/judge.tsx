// The judge's page.
import { JudgeBench } from "./judging/bench";
import { VERDICTS } from "./judging/load";
import { loadWork } from "./saving/work";
import { Workplace } from "./workplace";

export function Judge() {
  return (
    <Workplace
      title="Judge"
      load={(person) => loadWork(person, "/api/judging", VERDICTS)}
      bench={(person, work, onNext) => <JudgeBench key={work.episode.id} person={person} work={work} onNext={onNext} />}
      done="There is nothing for you to judge just now."
    />
  );
}
