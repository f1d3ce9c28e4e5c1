// Players, requests and outcomes of an episode; and, in a study, whether its marks are gold.
import { useState } from "preact/hooks";
import { clock } from "../episode/player";
import type { EpisodeView } from "./data";

interface Props {
  shown: EpisodeView;
  study: boolean;
  onGold: (rater: string | null, purpose: string) => void;
  onGo: (step: number) => void;
}

export function About(props: Props) {
  const { shown } = props;
  const time = (step: number) => clock(step, shown.steps_per_second);
  return (
    <section class="panel about" aria-label="About the episode" tabIndex={0}>
      <h2 title={shown.name}>{shown.name}</h2>
      <dl>
        <dt>setter</dt>
        <dd>{shown.setter}</dd>
        <dt>solver</dt>
        <dd>{shown.solver}</dd>
        <dt>length</dt>
        <dd>
          {time(shown.steps)}, {shown.steps} steps
        </dd>
        <dt>split</dt>
        <dd>{shown.split}</dd>
        {shown.created && <dt>recorded</dt>}
        {shown.created && <dd>{shown.created.slice(0, 16).replace("T", " ")}</dd>}
      </dl>
      {shown.requests.length > 0 && (
        <>
          <h3>Asked, and checked</h3>
          <ul class="asked-list">
            {shown.requests.map((request) => (
              <li key={request.step}>
                <button type="button" class="time" onClick={() => props.onGo(request.step)}>
                  {time(request.step)}
                </button>
                <span>{request.words}</span>
                {request.success === null ? (
                  <span class="bad">not done</span>
                ) : (
                  <button type="button" class="time good" onClick={() => props.onGo(request.success ?? 0)}>
                    done {time(request.success)}
                  </button>
                )}
              </li>
            ))}
          </ul>
        </>
      )}
      {shown.judgements.length > 0 && (
        <>
          <h3>Judged</h3>
          <ul class="asked-list">
            {shown.judgements.map((judgement) => (
              <li key={judgement.judge}>
                <span>{judgement.judge}</span>
                <span class={judgement.left_out ? "" : judgement.success ? "good" : "bad"}>{judgement.left_out || (judgement.success ? "success" : "failure")}</span>
                {judgement.step !== null && (
                  <button type="button" class="time" onClick={() => props.onGo(judgement.step ?? 0)}>
                    {time(judgement.step)}
                  </button>
                )}
              </li>
            ))}
          </ul>
        </>
      )}
      {props.study && <Gold shown={shown} onGold={props.onGold} />}
    </section>
  );
}

function Gold(props: { shown: EpisodeView; onGold: (rater: string | null, purpose: string) => void }) {
  const { shown, onGold } = props;
  const marked = shown.raters.filter((row) => row.marks.length > 0);
  const [rater, setRater] = useState("");
  const [purpose, setPurpose] = useState("training");
  const chosen = marked.some((row) => row.rater === rater) ? rater : (marked[0]?.rater ?? "");
  return (
    <>
      <h3>Gold episode</h3>
      {shown.gold ? (
        <p>
          Its marks are known; it is given for <b>{shown.gold}</b>.{" "}
          <button type="button" onClick={() => onGold(null, "")}>
            No longer gold
          </button>
        </p>
      ) : marked.length === 0 ? (
        <p class="hint">To make it one, mark it yourself, or let a scripted rater mark it.</p>
      ) : (
        <form
          class="row"
          onSubmit={(event) => {
            event.preventDefault();
            onGold(chosen, purpose);
          }}
        >
          <label>
            known marks: those of
            <select value={chosen} onChange={(event) => setRater(event.currentTarget.value)}>
              {marked.map((row) => (
                <option key={row.rater}>{row.rater}</option>
              ))}
            </select>
          </label>
          <label>
            for
            <select value={purpose} onChange={(event) => setPurpose(event.currentTarget.value)}>
              <option value="training">training: given first, with feedback</option>
              <option value="quality">quality: among the others, without notice</option>
            </select>
          </label>
          <button>Make it gold</button>
        </form>
      )}
    </>
  );
}
