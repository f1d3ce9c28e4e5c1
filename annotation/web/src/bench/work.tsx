// The page of a task: loads one item after the other, and shows the bench for it.
import { useEffect, useRef, useState } from "preact/hooks";
import { base } from "../address";
import { AGAIN_MS, ApiError, me, type Me } from "../api";
import { Frame, Trouble } from "../frame";
import type { Edit } from "../saving/local_store";
import { loadWork, type Work } from "../saving/work";
import { routesOf, type Task, type TaskItem } from "./task";

const KNOWN = "rlhf-me"; // with the address of the study: who was here last, for visits without a connection

/** The page of a task. */
export function workPage<S extends Edit, E extends TaskItem<S>>(task: Task<S, E>): () => preact.JSX.Element {
  return () => <Workplace task={task} />;
}

function Workplace<S extends Edit, E extends TaskItem<S>>({ task }: { task: Task<S, E> }) {
  const { title, done, Bench, Idle } = task;
  const [loaded, setLoaded] = useState<{ person: Me; work: Work<E> | null } | null>(null);
  const [trouble, setTrouble] = useState<Error | null>(null);
  const barred = trouble instanceof ApiError && trouble.status === 403; // trying again does not help

  const loads = useRef(0);
  const again = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);

  const load = async () => {
    clearTimeout(again.current);
    const number = ++loads.current;
    if (!Idle) setLoaded(null); // what was done stays until the next is there
    setTrouble(null);
    try {
      const person = await whoIsHere();
      const work = await loadWork(person, routesOf(task.kind), task.store);
      if (number === loads.current) setLoaded({ person, work }); // else a later load has begun
    } catch (error) {
      if (number !== loads.current) return;
      setLoaded(null);
      if (error instanceof ApiError && error.status === 401) location.replace("./");
      else setTrouble(error as Error);
      if (error instanceof ApiError && error.passing) again.current = setTimeout(() => void load(), AGAIN_MS);
    }
  };
  useEffect(() => void load(), []);

  if (loaded?.work) return <Bench key={loaded.work.episode.id} person={loaded.person} work={loaded.work} onNext={load} />;
  return (
    <Frame title={title} me={loaded?.person}>
      <Trouble said={trouble?.message ?? ""} />
      {trouble && !barred && (
        <button type="button" onClick={load}>
          Try again
        </button>
      )}
      {barred && (
        <p>
          <a href="./">To the first page</a>
        </p>
      )}
      {!loaded && !trouble && <p role="status">Loading the episode…</p>}
      {loaded && Idle && <Idle person={loaded.person} onLook={load} />}
      {loaded && !Idle && (
        <div class="card">
          <p>
            <strong>All done.</strong> {done} Thank you.
          </p>
          <button type="button" onClick={load}>
            Look again
          </button>
        </div>
      )}
    </Frame>
  );
}

async function whoIsHere(): Promise<Me> {
  const known = base() === "/" ? KNOWN : `${KNOWN}${base()}`;
  try {
    const person = await me();
    localStorage.setItem(known, JSON.stringify({ ...person, csrf: "" }));
    return person;
  } catch (error) {
    const kept = localStorage.getItem(known);
    if (error instanceof ApiError && error.passing && kept) return JSON.parse(kept) as Me;
    throw error;
  }
}
