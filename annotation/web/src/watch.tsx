// The page on which raters watch demonstrations and say what the setter wanted.
import { loadWork } from "./saving/work";
import { WatchBench } from "./watching/bench";
import { GOALS } from "./watching/load";
import { Workplace } from "./workplace";

export function Watch() {
  return (
    <Workplace
      title="Infer goals"
      load={(person) => loadWork(person, "/api/watching", GOALS)}
      bench={(person, work, onNext) => <WatchBench key={work.episode.id} person={person} work={work} onNext={onNext} />}
      done="There are no demonstrations for you to watch just now."
    />
  );
}
