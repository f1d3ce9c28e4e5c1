// The page on which raters compare clips.
import { CompareBench } from "./comparing/bench";
import { ANSWERS } from "./comparing/load";
import { loadWork } from "./saving/work";
import { Workplace } from "./workplace";

export function Compare() {
  return (
    <Workplace
      title="Compare clips"
      load={(person) => loadWork(person, "/api/comparing", ANSWERS)}
      bench={(person, work, onNext) => <CompareBench key={work.episode.id} person={person} work={work} onNext={onNext} />}
      done="There are no clips for you to compare just now."
    />
  );
}
