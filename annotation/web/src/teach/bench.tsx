// Teaching: clips of the agent's play one after the other, or pairs of the new agent's and the old one's, and a bar above.
import { useEffect } from "preact/hooks";
import type { Me } from "../api";
import { task, type BenchProps } from "../bench/task";
import { Comparing, type ClipPair, type SaidAnswer } from "../comparing/bench";
import type { Mark } from "../episode/types";
import { Marking, type Episode } from "../marking/bench";
import { TeachBar } from "./bar";

const TITLE = "Teach";
const LOOK_MS = 3_000; // between two looks for clips

export const TEACHING = task<Mark, Episode>({
  kind: "marking",
  title: TITLE,
  done: "",
  Bench: TeachBench,
  Idle: NothingToMark,
});

/** Pairs come before clips, while there are any. */
export const PREFERRING = task<SaidAnswer, ClipPair>({
  kind: "comparing",
  title: TITLE,
  done: "",
  Bench: PreferBench,
});

const leads = (person: Me) => person.roles.includes("admin");

function TeachBench(props: BenchProps<Episode>) {
  return <Marking {...props} title={TITLE} quick before={<TeachBar leads={leads(props.person)} onCompare={props.onNext} />} />;
}

function PreferBench(props: BenchProps<ClipPair>) {
  return <Comparing {...props} title={TITLE} quick before={<TeachBar leads={leads(props.person)} />} />;
}

/** The bar alone, until there are clips. */
function NothingToMark({ person, onLook }: { person: Me; onLook: () => void }) {
  useEffect(() => {
    const timer = setInterval(onLook, LOOK_MS);
    return () => clearInterval(timer);
  }, []);
  return (
    <>
      <TeachBar leads={leads(person)} />
      <p class="hint">There is no clip for you to mark just now.</p>
    </>
  );
}
