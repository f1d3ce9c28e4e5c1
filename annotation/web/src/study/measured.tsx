// The measures of a project: fetched again while the server computes them.
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { ask } from "../api";
import { Trouble } from "../frame";
import { called, type Data, type Measured, type Project } from "./data";

const WORKING_MS = 1_500;
const RESTING_MS = 20_000;
const AGAIN_MS = 3_000; // after an error

export function WithMeasures(props: { data: Data; show: (measured: Measured, project: Project, reload: () => void) => ComponentChildren }) {
  const { projects } = props.data;
  const [id, setId] = useState(() => projects.reduce((best, each) => (each.submitted > best.submitted ? each : best), projects[0]!).id);
  const [measured, setMeasured] = useState<Measured | null>(null);
  const [trouble, setTrouble] = useState("");
  const [round, setRound] = useState(0);

  useEffect(() => {
    let current = true;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const load = async () => {
      try {
        const found = await ask<Measured>("GET", `/api/projects/${id}/measures`);
        if (!current) return;
        setMeasured(found);
        setTrouble(found.trouble);
        timer = setTimeout(() => void load(), found.working || found.outdated ? WORKING_MS : RESTING_MS);
      } catch (error) {
        if (!current) return;
        setTrouble((error as Error).message);
        timer = setTimeout(() => void load(), AGAIN_MS);
      }
    };
    void load();
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [id, round]);

  const project = projects.find((each) => each.id === id) ?? projects[0]!;
  return (
    <>
      <div class="measured-bar">
        {projects.length > 1 ? (
          <label>
            project{" "}
            <select value={id} onChange={(e) => (setMeasured(null), setId(e.currentTarget.value))}>
              {projects.map((each) => (
                <option key={each.id} value={each.id}>
                  {called(each)}
                </option>
              ))}
            </select>
          </label>
        ) : (
          <span>{called(project)}</span>
        )}
        <span class="hint" role="status">
          {age(measured)}
        </span>
      </div>
      <Trouble said={trouble} />
      {measured && props.show(measured, project, () => setRound((round) => round + 1))}
      {!measured?.measures && !trouble && <p class="card hint">The numbers of this project are being computed; this takes some seconds.</p>}
    </>
  );
}

/** When the numbers were computed, and whether newer ones come. */
function age(measured: Measured | null): string {
  if (!measured?.computed) return "";
  const when = new Date(1000 * measured.computed).toLocaleTimeString();
  return measured.working || measured.outdated ? `as of ${when}; newer numbers are being computed…` : `as of ${when}`;
}
