// A line on which a press or a drag goes to a moment.
import { clock } from "./player";
import { useTrack } from "./track";

export function Scrubber(props: { label: string; steps: number; stepsPerSecond: number; step: number; onGo: (step: number) => void }) {
  const { track, stepAt, place } = useTrack(props.steps);
  return (
    <div
      ref={track}
      class="track scrubber"
      role="slider"
      tabIndex={0}
      aria-label={props.label}
      aria-valuemin={0}
      aria-valuemax={props.steps - 1}
      aria-valuenow={props.step}
      aria-valuetext={clock(props.step, props.stepsPerSecond)}
      onPointerMove={(event) => event.buttons & 1 && props.onGo(stepAt(event.clientX))}
      onPointerDown={(event) => {
        track.current?.setPointerCapture(event.pointerId);
        props.onGo(stepAt(event.clientX));
      }}
    >
      <div class="line" />
      <div class="cursor" style={place(props.step)} />
    </div>
  );
}
