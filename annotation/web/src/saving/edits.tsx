// What every bench has: edits that are saved, the time of work, and the state of saving.
import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Me } from "../api";
import type { PendingEdit, Edit, LocalStore, WorkInfo } from "./local_store";
import { keepPlace, type Work } from "./work";
import { Queue, type SavedState } from "./queue";
import { count } from "../words";

export interface Place {
  position: number;
  active_sec: number; // time of work: longer pauses do not count
}

interface EditingProps<S extends Edit, E extends WorkInfo> {
  person: Me;
  work: Work<E>;
  store: LocalStore<S, E>;
  step: number; // the step that is shown
  put: (assignment: string, batch: PendingEdit<S>[], place: Place) => Promise<unknown>; // sends edits; the server has them when it ends
  learn: (edit: S) => boolean; // takes an edit that an earlier visit could not send, if it is newer than what is shown
  now: () => Partial<E>; // the present state, for the next visit
}

/** Edits of a piece of work: sent, and kept in this browser with the step that is shown. Call `changed` after each. */
export function useEdits<S extends Edit, E extends WorkInfo>(props: EditingProps<S, E>): { queue: Queue<S>; saved: SavedState; changed: () => void; place: () => Place } {
  const { person, work, store, step } = props;
  const [version, setVersion] = useState(0);
  const [saved, setSaved] = useState<SavedState>({ waiting: 0, trouble: "", lost: false });
  const place = usePlace(step, work.episode.active_sec);
  const queue = useMemo(() => new Queue<S>(person.id, work.episode.id, store, (assignment, batch) => props.put(assignment, batch, place()), setSaved), [person.id, work.episode.id]);
  const changed = useCallback(() => setVersion((version) => version + 1), []);
  useEffect(() => {
    void queue
      .resume()
      .then((kept) => {
        const old = kept.filter((edit) => edit.assignment === work.episode.id && !props.learn(edit));
        changed();
        return work.fresh ? queue.forget(old) : undefined;
      })
      .then(() => queue.send());
  }, [queue, work.episode]);
  useEffect(() => () => queue.close(), [queue]);
  useEffect(() => {
    const timer = setTimeout(() => void keepPlace(store, person, work, step, props.now()), 400);
    return () => clearTimeout(timer);
  }, [step, version]);
  return { queue, saved, changed, place };
}

function usePlace(step: number, before: number): () => Place {
  const position = useRef(step);
  const active = useRef({ total: before, last: performance.now() });
  position.current = step;
  const count = () => {
    const now = performance.now();
    active.current.total += Math.min(now - active.current.last, 10_000) / 1000; // a longer pause counts as ten seconds
    active.current.last = now;
  };
  useEffect(count, [step]);
  return useCallback(() => {
    count();
    return { position: position.current, active_sec: Math.round(active.current.total) };
  }, []);
}

export function Saved(props: { state: SavedState }) {
  const { waiting, trouble, lost } = props.state;
  const changes = count(waiting, "change");
  const kind = waiting === 0 ? "good" : trouble ? "bad" : "busy";
  const said = waiting === 0 ? "all saved" : lost ? `no connection: ${changes} kept in this browser` : trouble ? `${changes} not saved: ${trouble}` : "saving…";
  return (
    <span class={`saved ${kind}`} role="status" data-waiting={waiting}>
      {said}
    </span>
  );
}
