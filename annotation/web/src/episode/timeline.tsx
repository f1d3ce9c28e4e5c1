// The episode as a line: utterances, marks, and the moment that is shown. A press or a drag goes to a moment.
import { useRef, useState } from "preact/hooks";
import type { Mark, Words } from "./types";
import { clock } from "./player";
import { useTrack } from "./track";

interface Props {
  steps: number;
  stepsPerSecond: number;
  step: number;
  words: Words[];
  marks: Mark[];
  selected: string | null;
  frozen: boolean; // marks can no longer change
  verdicts?: Mark[]; // on stretches
  from?: number; // what lies before this step is shown as what led up to the rest
  looks?: { sign: string; name: string }; // of marks that are neither progress nor regress
  onGo: (step: number) => void; // pressed or dragged
  onSelect: (mark: Mark) => void;
  onMove: (mark: Mark, step: number) => void;
}

const DRAG_PIXELS = 3;

export function Timeline(props: Props) {
  const { track, scale, stepAt, place } = useTrack(props.steps, props.from);
  const [dragged, setDragged] = useState<{ id: string; step: number } | null>(null);
  const grip = useRef<{ mark: Mark; x: number; moved: boolean } | null>(null);

  const move = (event: PointerEvent) => {
    const held = grip.current;
    if (!held) {
      if (event.buttons & 1) props.onGo(stepAt(event.clientX));
      return;
    }
    if (props.frozen || (!held.moved && Math.abs(event.clientX - held.x) < DRAG_PIXELS)) return;
    held.moved = true;
    setDragged({ id: held.mark.id, step: stepAt(event.clientX) });
    props.onGo(stepAt(event.clientX));
  };
  const hold = (event: PointerEvent, mark: Mark) => {
    grip.current = { mark, x: event.clientX, moved: false };
    track.current?.setPointerCapture(event.pointerId);
    event.stopPropagation();
  };
  const drop = (event: PointerEvent) => {
    const held = grip.current;
    grip.current = null;
    setDragged(null);
    if (held?.moved) props.onMove(held.mark, stepAt(event.clientX));
    else if (held) props.onSelect(held.mark);
  };
  const now = `${clock(props.step, props.stepsPerSecond)}, step ${props.step}`;
  return (
    <div class="timeline">
      <div
        ref={track}
        class="track"
        role="slider"
        tabIndex={0}
        aria-label="Moment of the episode"
        aria-valuemin={0}
        aria-valuemax={props.steps - 1}
        aria-valuenow={props.step}
        aria-valuetext={now}
        onPointerMove={move}
        onPointerDown={(event) => {
          track.current?.setPointerCapture(event.pointerId);
          props.onGo(stepAt(event.clientX));
        }}
        onPointerUp={drop}
        onPointerCancel={drop}
      >
        {props.from !== undefined && <div class="before" style={{ width: `${scale.share(props.from) * 100}%` }} />}
        <div class="line" />
        {props.verdicts?.map((verdict) => (
          <span
            key={verdict.id}
            data-verdict={verdict.sign}
            class={`verdict ${verdict.sign > 0 ? "good" : "bad"}`}
            style={{ left: `${scale.share(verdict.step) * 100}%`, right: `${(1 - scale.share(verdict.until ?? props.steps)) * 100}%` }}
            title={verdict.sign > 0 ? "the request was done" : "the request was not done"}
          />
        ))}
        {props.words.map((said) => (
          <span key={`${said.who}${said.step}`} class={`said ${said.who}`} style={place(said.step)} title={`${said.who}: ${said.words}`} />
        ))}
        {props.marks.map((mark) => (
          <span
            key={mark.id}
            data-mark={mark.id}
            data-step={mark.step}
            class={`mark ${mark.sign > 0 ? "progress" : "regress"}${mark.id === props.selected ? " selected" : ""}`}
            style={place(dragged?.id === mark.id ? dragged.step : mark.step)}
            title={`${props.looks?.name ?? (mark.sign > 0 ? "progress" : "regress")} at ${clock(mark.step, props.stepsPerSecond)}`}
            onPointerDown={(event) => hold(event, mark)}
          >
            {props.looks?.sign ?? (mark.sign > 0 ? "+" : "−")}
          </span>
        ))}
        <div class="cursor" style={place(props.step)} />
      </div>
    </div>
  );
}
