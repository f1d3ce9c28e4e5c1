// One of the two clips: its request, unless both have one, its picture, and what is said in it.
import { useEffect, useRef } from "preact/hooks";
import { clock } from "../episode/player";
import type { Frames } from "../episode/frames";
import { draw } from "../episode/picture";
import type { Loop } from "./loop";
import type { Clip } from "./load";

interface Props {
  name: string; // "A" or "B"
  clip: Clip;
  frames: Frames; // of both clips
  first: number; // the picture of this clip's first step
  loop: Loop;
  stepsPerSecond: number;
  ownRequest: boolean; // the other clip has another request
  chosen: boolean;
}

export function ClipView(props: Props) {
  const { name, clip, loop } = props;
  return (
    <section class={`clip${props.chosen ? " chosen" : ""}`} aria-label={`Clip ${name}`}>
      <h2>
        <span class="clip-name">{name}</span>
        {props.ownRequest && <Request request={clip.request} />}
      </h2>
      <Moving {...props} />
      {clip.actions && (
        <p class="clip-does">
          <span class="who solver">does</span> {clip.actions[loop.step]}
        </p>
      )}
      <ol class="clip-words" tabIndex={0} aria-label={`What was said in clip ${name}`}>
        {clip.words.map((said) => (
          <li key={`${said.who}${said.step}`} class={`${said.who}${said.step > loop.step ? " later" : ""}`}>
            <span class="when">{said.step < 0 ? "before" : clock(said.step, props.stepsPerSecond)}</span> <span class="who">{said.who}</span>{" "}
            <span class="words">{said.words}</span>
          </li>
        ))}
        {clip.words.length === 0 && <li class="silent">Nobody speaks.</li>}
      </ol>
    </section>
  );
}

/** What the setter had asked. */
export function Request(props: { request: string }) {
  return props.request ? <q>{props.request}</q> : <i>nothing in words</i>;
}

function Moving({ name, frames, first, loop }: Props) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const place = first + loop.step;
  const wanted = useRef(place);
  wanted.current = place;
  const there = frames.has(place);
  const best = frames.best(place);
  useEffect(() => {
    frames
      .at(place)
      .then((picture) => {
        if (!picture || wanted.current !== place || !canvas.current) return;
        draw(canvas.current, picture);
        canvas.current.dataset.step = String(place - first); // that is to be seen
      })
      .catch(() => undefined); // a damaged frame leaves the one before
    if (loop.playing) void frames.prepare(place, 12).catch(() => undefined);
  }, [frames, place, loop.playing, there, best]);
  return (
    <div class="picture">
      <canvas ref={canvas} role="img" aria-label={`The solver's view in clip ${name}`} data-view={best} class={there ? "" : "missing"} />
      {!there && (
        <span class="loading-moment" role="status">
          {frames.trouble ? `Waiting for the server: ${frames.trouble}` : "Loading the clips…"}
        </span>
      )}
    </div>
  );
}
