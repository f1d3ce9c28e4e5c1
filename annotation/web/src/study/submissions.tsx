// What raters have submitted: how much they have seen and marked, how long it took; and sending it back.
import { useEffect, useState } from "preact/hooks";
import { ask } from "../api";
import { Trouble } from "../frame";
import { address } from "../viewer/data";
import { count } from "../words";
import { called, type Data, type Submission } from "./data";
import { useFocus } from "./focus";
import { Section, Table } from "./table";

interface Listed {
  submissions: Submission[];
  total: number;
}

const COLUMNS = [
  "episode",
  "rater",
  "submitted",
  { name: "marks", number: true },
  { name: "seen", number: true, title: "Share of the episode's steps that the rater's browser showed" },
  { name: "min worked", number: true, title: "Pauses of more than ten seconds do not count" },
  { name: "min long", number: true, title: "Minutes that the episode takes" },
  "to look at",
  "change",
];

export function Submissions(props: { data: Data; reload: () => Promise<void> }) {
  const { projects, people } = props.data;
  const [id, setId] = useState(() => projects.reduce((best, each) => (each.submitted > best.submitted ? each : best), projects[0]!).id);
  const [listed, setListed] = useState<Listed | null>(null);
  const [doubtful, setDoubtful] = useState(false);
  const [returning, setReturning] = useState("");
  const [trouble, setTrouble] = useState("");
  const load = () =>
    ask<Listed>("GET", `/api/projects/${id}/submissions`).then(
      (found) => {
        setListed(found);
        setTrouble("");
      },
      (error: Error) => setTrouble(error.message),
    );
  useEffect(() => void load(), [id, props.data]);

  const stepsPerSecond = projects.find((each) => each.id === id)!.steps_per_second;
  const name = (rater: string) => people.find((person) => person.pseudonym === rater)?.name ?? rater;
  const chosen = listed?.submissions.filter((one) => !doubtful || one.doubts.length > 0) ?? [];
  const back = listed?.submissions.find((one) => one.id === returning && one.submitted);
  const rows = chosen.map((one) => ({
    key: one.id,
    cells: [
      <a href={`look${address(id, one.episode_key)}`}>{one.episode}</a>,
      name(one.rater),
      one.submitted ? new Date(1000 * one.submitted).toLocaleString(undefined, { dateStyle: "short", timeStyle: "short" }) : <span title={one.reason}>{one.to_another ? "for another rater" : "sent back"}</span>,
      one.marks,
      one.seen === null ? "–" : `${Math.round(100 * one.seen)}%`,
      (one.active_sec / 60).toFixed(1),
      (one.steps / stepsPerSecond / 60).toFixed(1),
      one.doubts.length > 0 ? <span class="bad">{one.doubts.join(", ")}</span> : one.reason && one.submitted ? <span title={one.reason}>sent back before</span> : "",
      one.submitted ? (
        <button type="button" class="quiet" onClick={() => setReturning(one.id)}>
          Send back…
        </button>
      ) : (
        ""
      ),
    ],
  }));
  const careless = listed?.submissions.filter((one) => one.doubts.length > 0).length ?? 0;
  return (
    <Section title="Submitted episodes">
      <p class="hint">
        <b>To look at</b>: no marks, less than half of the episode seen, or less time than it takes to play it at four times the speed. What you send back leaves the dataset until it is submitted again.
      </p>
      <Trouble said={trouble} />
      <div class="row">
        {projects.length > 1 && (
          <label>
            project
            <select
              value={id}
              onChange={(e) => {
                setListed(null);
                setId(e.currentTarget.value);
              }}
            >
              {projects.map((each) => (
                <option key={each.id} value={each.id}>
                  {called(each)}
                </option>
              ))}
            </select>
          </label>
        )}
        <label class="check">
          <input type="checkbox" checked={doubtful} onChange={(e) => setDoubtful(e.currentTarget.checked)} /> only those to look at ({careless})
        </label>
      </div>
      {back && (
        <Return
          key={back.id}
          submission={back}
          rater={name(back.rater)}
          onDone={() => {
            setReturning("");
            void load();
            void props.reload();
          }}
          onCancel={() => setReturning("")}
        />
      )}
      {listed ? <Table name="Submitted episodes" columns={COLUMNS} rows={rows} empty={doubtful ? "There is none." : "Nobody has submitted anything yet."} /> : !trouble && <p class="hint">Loading…</p>}
      {listed && listed.total > listed.submissions.length && <p class="hint">{count(listed.total - listed.submissions.length, "earlier submission")} are not listed.</p>}
    </Section>
  );
}

function Return(props: { submission: Submission; rater: string; onDone: () => void; onCancel: () => void }) {
  const form = useFocus<HTMLFormElement>();
  const [reason, setReason] = useState("");
  const [another, setAnother] = useState(false);
  const [trouble, setTrouble] = useState("");
  const send = async (event: Event) => {
    event.preventDefault();
    try {
      await ask("POST", `/api/submissions/${props.submission.id}/return`, { reason, to: another ? "another" : "rater" });
      props.onDone();
    } catch (error) {
      setTrouble((error as Error).message);
    }
  };
  return (
    <form ref={form} tabIndex={-1} class="settings" onSubmit={send} aria-label={`Send ${props.submission.episode} back`}>
      <h3>
        Send back {props.submission.episode}, marked by {props.rater}
      </h3>
      <fieldset>
        <legend>To whom the episode goes</legend>
        <label>
          <input type="radio" name="to" checked={!another} onChange={() => setAnother(false)} /> {props.rater}, who sees the reason and continues with the marks already there
        </label>
        <label>
          <input type="radio" name="to" checked={another} onChange={() => setAnother(true)} /> another rater, who begins without marks; those of {props.rater} do not count
        </label>
      </fieldset>
      <label>
        reason{another ? ", for your own records" : `, as ${props.rater} sees it`}
        <textarea rows={2} maxLength={1000} required value={reason} onInput={(e) => setReason(e.currentTarget.value)} />
      </label>
      <Trouble said={trouble} />
      <button class="primary">Send back</button>
      <button type="button" class="quiet" onClick={props.onCancel}>
        Cancel
      </button>
    </form>
  );
}
