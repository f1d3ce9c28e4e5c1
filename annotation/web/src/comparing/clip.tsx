// One of the two clips: its request, unless both have one, its picture, and what is said in it.
import { clock } from "../episode/player";
import type { Frames } from "../episode/frames";
import { PictureAt } from "../episode/pictures";
import type { Loop } from "./loop";
import type { Clip } from "./bench";

interface Props {
  name: string; // such as "A"
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
      <div class="picture">
        <PictureAt
          frames={props.frames}
          at={props.first + loop.step}
          step={loop.step}
          playing={loop.playing}
          ahead={12}
          label={`The solver's view in clip ${name}`}
          loading="Loading the clips…"
        />
      </div>
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
