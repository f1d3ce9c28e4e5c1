// What every bench does: edits are kept and saved, keys are obeyed, and the work is submitted.
import { useCallback, useEffect, useState } from "preact/hooks";
import { ask } from "../api";
import type { Shared } from "../episode/keys";
import type { Player } from "../episode/player";
import { useKeys } from "../episode/press";
import { steer } from "../episode/steer";
import type { Press } from "../keyboard";
import { useEdits, type Place } from "../saving/edits";
import type { Edit } from "../saving/local_store";
import type { SavedState } from "../saving/queue";
import { routesOf, type BenchProps, type Task, type TaskItem } from "./task";

/** What a rater has said of an item, with undo and redo. */
export interface Said<S extends Edit> {
  readonly kept: S[]; // for the next visit
  readonly canUndo: boolean;
  readonly canRedo: boolean;
  learn(edit: S): boolean;
  undo(): S | undefined;
  redo(): S | undefined;
}

/** Commands of all benches. */
export type Asked = Shared | { do: "next" };

interface Props<S extends Edit, E extends TaskItem<S>, C> extends BenchProps<E> {
  task: Task<S, E>;
  said: Said<S>;
  player: Player;
  at?: number; // counts as work when it changes; the step that is shown, unless given
  words: number[]; // steps of utterances
  read: (press: Press) => C | Asked | undefined;
  run: (asked: C | Asked, take: (edit: S | undefined) => void, say: (trouble: string) => void) => boolean; // false: it is no command of this bench alone
  lacks?: () => string; // what is missing before it can be submitted
  doubt?: () => string; // what to ask before it is submitted
  settle?: () => S | undefined; // what is said by submitting
  ending: (place: Place) => object; // the request that submits
  also?: () => Partial<E>; // besides answers, for server and next visit
  onSaid?: (edit: S) => void;
}

export interface Bench<C> {
  saved: SavedState;
  submitting: boolean;
  asking: string; // a question before the work is submitted
  trouble: string;
  obey: (asked: C | Asked) => void;
  submit: (sure: boolean) => void;
  back: () => void; // from the question
  canUndo: boolean;
  canRedo: boolean;
  say: (trouble: string) => void;
}

export function useBench<S extends Edit, E extends TaskItem<S>, C>(props: Props<S, E, C>): Bench<C> & { take: (edit: S | undefined) => void } {
  const { person, work, task, said, player } = props;
  const { episode } = work;
  const [submitting, setSubmitting] = useState(false);
  const [asking, setAsking] = useState("");
  const [trouble, setTrouble] = useState("");
  const also = () => props.also?.() ?? {};
  const { queue, saved, changed, place } = useEdits<S, E>({
    person,
    work,
    store: task.store,
    step: props.at ?? player.step,
    put: (assignment, batch, place) => {
      const answers = batch.map(({ assignment: _, person: __, ...edit }) => edit);
      return ask("PUT", `${routesOf(task.kind)}/${assignment}/answers`, assignment === episode.id ? { answers, ...place, ...also() } : { answers });
    },
    learn: (edit) => said.learn(edit),
    now: () => ({ answers: said.kept, ...also() }) as Partial<E>,
  });

  const take = useCallback(
    (edit: S | undefined) => {
      if (!edit) return;
      setTrouble("");
      setAsking("");
      props.onSaid?.(edit);
      changed();
      void queue.add(episode.id, edit);
    },
    [queue, episode.id],
  );
  const submit = async (sure: boolean) => {
    const lacks = props.lacks?.() ?? "";
    if (lacks) return setTrouble(lacks);
    const doubt = sure ? "" : (props.doubt?.() ?? "");
    setAsking(doubt);
    if (doubt) return;
    take(props.settle?.());
    setSubmitting(true);
    setTrouble("");
    try {
      await queue.flush();
      await ask("POST", `${routesOf(task.kind)}/${episode.id}/submit`, props.ending(place()));
      await task.store.forgetWork(person.id).catch(() => undefined); // or a lost connection would bring it back
      props.onNext();
    } catch (error) {
      setTrouble((error as Error).message);
      setSubmitting(false);
    }
  };
  const obey = (asked: C | Asked) => {
    if (props.run(asked, take, setTrouble)) return;
    const shared = asked as Asked;
    if (shared.do === "next") void submit(false);
    else if (shared.do === "undo") take(said.undo());
    else if (shared.do === "redo") take(said.redo());
    else steer(shared, player, { mark: [], words: props.words });
  };
  useKeys(props.read, obey, !submitting && !asking);
  useEffect(() => void (saved.waiting === 0 && setTrouble("")), [saved.waiting]); // all that was missing is saved now
  const { canUndo, canRedo } = said;
  return { saved, submitting, asking, trouble, obey, submit: (sure) => void submit(sure), back: () => setAsking(""), canUndo, canRedo, say: setTrouble, take };
}
