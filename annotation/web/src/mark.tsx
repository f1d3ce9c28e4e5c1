// The rater's page: who marks, which episode, and then the bench on which it is marked.
import { useEffect, useState } from "preact/hooks";
import { ApiError, me, type Me } from "./api";
import { Frame, Trouble } from "./frame";
import { Bench } from "./marking/bench";
import { Feedback } from "./marking/feedback";
import { loadWork, type Work } from "./marking/load";

const KNOWN = "rlhf-me"; // who was here last, for visits without a connection

const AGAIN_MS = 5_000;

type Loaded = { person: Me; work: Work | null };

export function Mark() {
  const [loaded, setLoaded] = useState<Loaded | null>(null);
  const [trouble, setTrouble] = useState("");
  const [finished, setFinished] = useState(false);

  const load = async () => {
    setLoaded(null);
    setFinished(false);
    setTrouble("");
    try {
      const person = await whoIsHere();
      setLoaded({ person, work: await loadWork(person) });
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) location.replace("/");
      else setTrouble((error as Error).message);
      if (error instanceof ApiError && error.passing) setTimeout(() => void load(), AGAIN_MS);
    }
  };
  useEffect(() => void load(), []);

  if (loaded?.work && finished) return <Feedback person={loaded.person} work={loaded.work} onNext={load} />;
  if (loaded?.work) {
    const next = () => (loaded.work?.episode.training ? setFinished(true) : void load());
    return <Bench key={loaded.work.episode.id} person={loaded.person} work={loaded.work} onNext={next} />;
  }
  return (
    <Frame title="Mark episodes" me={loaded?.person}>
      <Trouble said={trouble} />
      {trouble && (
        <button type="button" onClick={load}>
          Try again
        </button>
      )}
      {!loaded && !trouble && <p role="status">Loading the episode…</p>}
      {loaded && (
        <div class="card">
          <p>
            <strong>All done.</strong> There is no episode for you to mark just now. Thank you.
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
  try {
    const person = await me();
    localStorage.setItem(KNOWN, JSON.stringify({ ...person, csrf: "" }));
    return person;
  } catch (error) {
    const known = localStorage.getItem(KNOWN);
    if (error instanceof ApiError && error.passing && known) return JSON.parse(known) as Me;
    throw error;
  }
}
