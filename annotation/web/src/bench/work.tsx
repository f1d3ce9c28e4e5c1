// The page of a task: loads one item after the other, and shows the bench for it.
import { useEffect, useRef, useState } from "preact/hooks";
import { base } from "../address";
import { AGAIN_MS, ApiError, me, type Me } from "../api";
import { Frame, Trouble } from "../frame";
import { loadWork, type Work } from "../saving/work";
import { routesOf, type Task } from "./task";

const KNOWN = "rlhf-me"; // with the address of the study: who was here last, for visits without a connection

type AnyTask = Task<any, any>;

/** The page of a task. While there are items of the tasks `before` it, it shows those. */
export function workPage(task: AnyTask, before: AnyTask[] = []): () => preact.JSX.Element {
  return () => <Workplace task={task} before={before} />;
}

function Workplace({ task, before }: { task: AnyTask; before: AnyTask[] }) {
  const { title, done, Idle } = task;
  const [loaded, setLoaded] = useState<{ person: Me; found: Found | null } | null>(null);
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
      const found = await firstWork(person, [...before, task]);
      if (number === loads.current) setLoaded({ person, found }); // else a later load has begun
    } catch (error) {
      if (number !== loads.current) return;
      setLoaded(null);
      if (error instanceof ApiError && error.status === 401) location.replace("./");
      else setTrouble(error as Error);
      if (error instanceof ApiError && error.passing) again.current = setTimeout(() => void load(), AGAIN_MS);
    }
  };
  useEffect(() => void load(), []);

  if (loaded?.found) {
    const { work, task } = loaded.found;
    return <task.Bench key={work.episode.id} person={loaded.person} work={work} onNext={load} />;
  }
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

interface Found {
  task: AnyTask;
  work: Work<any>;
}

async function firstWork(person: Me, tasks: AnyTask[]): Promise<Found | null> {
  for (const task of tasks) {
    const work = await loadWork(person, routesOf(task.kind), task.store);
    if (work) return { task, work };
  }
  return null;
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
