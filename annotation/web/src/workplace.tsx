// A page of work, one piece after the other: loads the next piece and shows the bench for it.
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { base } from "./address";
import { AGAIN_MS, ApiError, me, type Me } from "./api";
import { Frame, Trouble } from "./frame";

const KNOWN = "rlhf-me"; // with the address of the study: who was here last, for visits without a connection

interface Props<W> {
  title: string;
  load: (person: Me) => Promise<W | null>; // the next piece of work; null when there is none
  bench: (person: Me, work: W, onNext: () => void) => ComponentChildren;
  done: string; // shown when there is none
}

export function Workplace<W>(props: Props<W>) {
  const [loaded, setLoaded] = useState<{ person: Me; work: W | null } | null>(null);
  const [trouble, setTrouble] = useState<Error | null>(null);
  const barred = trouble instanceof ApiError && trouble.status === 403; // trying again does not help

  const loads = useRef(0);
  const again = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);

  const load = async () => {
    clearTimeout(again.current);
    const number = ++loads.current;
    setLoaded(null);
    setTrouble(null);
    try {
      const person = await whoIsHere();
      const work = await props.load(person);
      if (number === loads.current) setLoaded({ person, work }); // else a later load has begun
    } catch (error) {
      if (number !== loads.current) return;
      if (error instanceof ApiError && error.status === 401) location.replace("./");
      else setTrouble(error as Error);
      if (error instanceof ApiError && error.passing) again.current = setTimeout(() => void load(), AGAIN_MS);
    }
  };
  useEffect(() => void load(), []);

  if (loaded?.work) return <>{props.bench(loaded.person, loaded.work, load)}</>;
  return (
    <Frame title={props.title} me={loaded?.person}>
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
      {loaded && (
        <div class="card">
          <p>
            <strong>All done.</strong> {props.done} Thank you.
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
