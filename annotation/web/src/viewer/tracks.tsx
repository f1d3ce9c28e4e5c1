// Rows that share one line of time: utterances, each rater's marks, a reward model's trace.
import type { ComponentChildren } from "preact";
import type { Words } from "../episode/types";
import { clock, type Player } from "../episode/player";
import { useTrack } from "../episode/track";

export function Tracks(props: { steps: number; stepsPerSecond: number; player: Player; children: ComponentChildren }) {
  const { player, steps } = props;
  const { track, stepAt, place } = useTrack(steps);
  return (
    <div class="tracks">
      {props.children}
      <div
        ref={track}
        class="scanner"
        role="slider"
        tabIndex={0}
        aria-label="Moment of the episode"
        aria-valuemin={0}
        aria-valuemax={steps - 1}
        aria-valuenow={player.step}
        aria-valuetext={`${clock(player.step, props.stepsPerSecond)}, step ${player.step}`}
        onPointerMove={(event) => player.scan(stepAt(event.clientX))}
        onPointerDown={(event) => player.go(stepAt(event.clientX))}
      >
        <div class="cursor" style={place(player.step)} />
      </div>
    </div>
  );
}

export function Row(props: { label: string; note?: string; scale?: [string, string]; children: ComponentChildren }) {
  return (
    <div class={`row-track${props.scale ? " tall" : ""}`}>
      <div class="row-label" title={props.label}>
        <span>{props.label}</span>
        {props.note && <small>{props.note}</small>}
        {props.scale && (
          <small class="scale">
            <span>{props.scale[0]}</span>
            <span>{props.scale[1]}</span>
          </small>
        )}
      </div>
      <div class="row-line">{props.children}</div>
    </div>
  );
}

export function WordsRow(props: { steps: number; words: Words[] }) {
  const { place } = useTrack(props.steps);
  return (
    <Row label="said">
      {props.words.map((said) => (
        <span key={`${said.who}${said.step}`} class={`said ${said.who}`} style={place(said.step)} />
      ))}
    </Row>
  );
}

interface RowMark {
  step: number;
  sign: number;
  kind?: string; // a further class, e.g. "missed"
}

export function MarksRow(props: { steps: number; stepsPerSecond: number; label: string; note?: string; marks: RowMark[]; onGo: (step: number) => void }) {
  const { place } = useTrack(props.steps);
  return (
    <Row label={props.label} note={props.note ?? String(props.marks.length)}>
      {props.marks.map((mark) => (
        <button
          type="button"
          tabIndex={-1}
          key={`${mark.step} ${mark.sign}`}
          data-step={mark.step}
          class={`small-mark ${mark.sign > 0 ? "progress" : "regress"} ${mark.kind ?? ""}`}
          style={place(mark.step)}
          title={`${mark.sign > 0 ? "progress" : "regress"}${mark.kind ? ` (${mark.kind})` : ""} at ${clock(mark.step, props.stepsPerSecond)}`}
          onClick={() => props.onGo(mark.step)}
        >
          {mark.sign > 0 ? "+" : "−"}
        </button>
      ))}
    </Row>
  );
}
