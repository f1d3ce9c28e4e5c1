// The pages on which raters and judges work.
import type { Edit } from "../saving/local_store";
import { loadWork } from "../saving/work";
import { Workplace } from "../workplace";
import { routesOf, type Task, type TaskItem } from "./task";

/** The page of a task. */
export function workPage<S extends Edit, E extends TaskItem<S>>({ kind, title, done, store, Bench }: Task<S, E>): () => preact.JSX.Element {
  return () => (
    <Workplace
      title={title}
      load={(person) => loadWork(person, routesOf(kind), store)}
      bench={(person, work, onNext) => <Bench key={work.episode.id} person={person} work={work} onNext={onNext} />}
      done={done}
    />
  );
}
