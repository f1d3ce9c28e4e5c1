// The bar above a clip: what was said so far, training, and results.
import { useState } from "preact/hooks";
import { ask } from "../api";
import { useKeys } from "../episode/press";
import { Trouble } from "../frame";
import { isChord, keyOf, type Press } from "../keyboard";
import { count } from "../words";
import { duration, useTaught, type Taught, type Work } from "./state";

interface Props {
  leads: boolean; // this person may begin to train
  onCompare?: () => void; // shows a pair of clips; none: one is shown
}

export function TeachBar({ leads, onCompare }: Props) {
  const { taught, trouble, ask: look } = useTaught();
  const [refused, setRefused] = useState("");
  const begin = async (what: "train" | "again") => {
    try {
      await ask("POST", `/api/teach/${what}`);
      setRefused("");
      if (what === "again") location.reload(); // the clip that is shown is of the round before
    } catch (error) {
      setRefused((error as Error).message);
    }
    look();
  };
  return (
    <section class="teach-bar" aria-label="Teaching">
      {taught && <Said taught={taught} leads={leads} onCompare={onCompare} onBegin={(what) => void begin(what)} onRefused={setRefused} />}
      <Trouble said={refused || trouble} />
    </section>
  );
}

interface SaidProps extends Props {
  taught: Taught;
  onBegin: (what: "train" | "again") => void;
  onRefused: (why: string) => void;
}

function Said({ taught, leads, onCompare, onBegin, onRefused }: SaidProps) {
  const { phase, predicted } = taught;
  const pairs = toJudge(taught);
  return (
    <>
      <strong>Round {taught.round}</strong>
      <span role="status">{STATUS[phase](taught)}</span>
      {predicted && predicted.answers > 0 && (
        <span title="Before you said it, the reward model was asked what you would say.">
          it foresaw {predicted.right} of {predicted.answers}
        </span>
      )}
      {phase === "training" && taught.work.map((work) => <Progress key={work.name} work={work} />)}
      {taught.asks && <AskAgent onRefused={onRefused} />}
      {leads && (phase === "marking" || phase === "failed") && (
        <button type="button" class="primary" disabled={phase === "marking" && taught.marks + taught.verdicts === 0} onClick={() => onBegin("train")}>
          {phase === "failed" ? "Try again" : "Train"}
        </button>
      )}
      {pairs && (
        <label class="teach-work">
          <progress value={pairs.judged} max={pairs.pairs} /> {pairs.judged} of {count(pairs.pairs, "pair")} judged
        </label>
      )}
      {pairs && onCompare && (
        <button type="button" onClick={onCompare}>
          Compare
        </button>
      )}
      {leads && phase === "trained" && (
        <button type="button" class="primary" onClick={() => onBegin("again")}>
          Again
        </button>
      )}
      {taught.results.length > 0 && phase !== "training" && <p class="teach-result">{taught.results[taught.results.length - 1]}</p>}
    </>
  );
}

const askKey = (press: Press) => (isChord(press) ? undefined : keyOf(press, (key) => key === "a"));

/** Opens a game in which this person asks, and the agent acts. */
function AskAgent({ onRefused }: { onRefused: (why: string) => void }) {
  const [opening, setOpening] = useState(false);
  const open = async () => {
    setOpening(true);
    try {
      location.assign(`play#${(await ask<{ id: string }>("POST", "/api/teach/ask")).id}`);
    } catch (error) {
      onRefused((error as Error).message);
      setOpening(false);
    }
  };
  useKeys(askKey, () => void open(), !opening);
  return (
    <button type="button" disabled={opening} onClick={() => void open()}>
      Ask it yourself <kbd>A</kbd>
    </button>
  );
}

/** The pairs of clips, while this person has not judged them all. */
function toJudge({ phase, compared }: Taught): Taught["compared"] {
  return phase === "trained" && compared && compared.judged < compared.pairs ? compared : null;
}

const said = (taught: Taught) => `${count(taught.verdicts, "verdict")} and ${count(taught.marks, "mark")} on ${count(taught.clips, "clip")}`;

const STATUS: Record<Taught["phase"], (taught: Taught) => string> = {
  playing: (taught) => `The agent plays: ${count(taught.clips, "clip")} so far.`,
  marking: said,
  training: said,
  trained: (taught) => `The new agent is ready${toJudge(taught) ? ": does it do better than the one before?" : "."}`,
  failed: (taught) => `It has stopped: ${taught.trouble}`,
};

function Progress({ work }: { work: Work }) {
  return (
    <label class="teach-work">
      {work.name} <progress value={work.done} max={1} />
      {work.seconds_left !== null && work.done < 1 && <span class="hint"> {duration(work.seconds_left)} left</span>}
    </label>
  );
}
