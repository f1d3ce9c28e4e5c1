// Teaching: clips of the agent's play one after the other, and a bar with what is learned from them.
import { useEffect } from "preact/hooks";
import type { Me } from "../api";
import { task, type BenchProps } from "../bench/task";
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

function TeachBench(props: BenchProps<Episode>) {
  return <Marking {...props} title={TITLE} quick before={<TeachBar leads={props.person.roles.includes("admin")} />} />;
}

/** The bar alone, until there are clips. */
function NothingToMark({ person, onLook }: { person: Me; onLook: () => void }) {
  useEffect(() => {
    const timer = setInterval(onLook, LOOK_MS);
    return () => clearInterval(timer);
  }, []);
  return (
    <>
      <TeachBar leads={person.roles.includes("admin")} />
      <p class="hint">There is no clip for you to mark just now.</p>
    </>
  );
}
