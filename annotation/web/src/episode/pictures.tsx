// Pictures of an episode on the page: loaded while they are shown, drawn at a step, sharp or as the agent saw them.
import { useEffect, useReducer, useRef, useState } from "preact/hooks";
import type { Frames } from "./frames";

const AS_SEEN = "rlhf-as-seen"; // in this browser: only what the agent saw is shown

// Words of the button: which pictures are shown.
const RECORDED = {
  title: "Sharp pictures are drawn again from the recording. The agent saw the recorded ones.",
  seen: "as the agent saw it",
  sharp: "sharp",
  coming: "recorded; sharp follows",
};
const OBSERVED = {
  title: "The agent sees no pictures. Its world draws them again from the recording; what the agent observes is drawn plainly.",
  seen: "what the agent observes",
  sharp: "drawn by its world",
  coming: "observed; pictures follow",
};

/** Load pictures while the page shows them, and draw the page again whenever there are more. */
export function useFrames(frames: Frames): void {
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  useEffect(() => {
    const unsubscribe = frames.subscribe(() => redraw(undefined));
    frames.start();
    return () => {
      unsubscribe();
      frames.stop();
    };
  }, [frames]);
}

/** How far pictures are loaded. */
export function Loaded(props: { frames: Frames; what: string }) {
  const { loaded } = props.frames;
  if (loaded === 1) return null;
  return (
    <label>
      {props.what} <progress max={1} value={loaded} /> {Math.floor(100 * loaded)}%
    </label>
  );
}

/**
 * A button that says which pictures are shown, and changes between sharp ones and what the agent saw.
 * `pictured`: false where no pictures were recorded, and what was observed is drawn plainly; `at`: the picture it tells of.
 */
export function ViewButton({ frames, pictured, at }: { frames: Frames; pictured: boolean; at: number }) {
  const [asSeen, setAsSeen] = useState(() => localStorage.getItem(AS_SEEN) === "yes");
  useEffect(() => frames.wantSharp(!asSeen), [frames, asSeen]);
  if (!frames.drawable) return null;
  const words = pictured ? RECORDED : OBSERVED;
  const toggle = () => {
    localStorage.setItem(AS_SEEN, asSeen ? "no" : "yes");
    setAsSeen(!asSeen);
  };
  return (
    <button type="button" aria-pressed={asSeen} onClick={toggle} title={words.title}>
      {words[asSeen ? "seen" : frames.best(at) === "sharp" ? "sharp" : "coming"]}
    </button>
  );
}

interface Props {
  frames: Frames;
  at: number; // the picture
  step?: number; // its step, unless that is `at`
  playing: boolean;
  ahead: number; // pictures to decode before they are shown
  label: string;
  loading: string; // while it is not there
  onShown?: (step: number) => void;
}

/** The picture at a moment, once it is there; until then the one before. */
export function PictureAt({ frames, at, step = at, playing, ahead, label, loading, onShown }: Props) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const wanted = useRef(at);
  wanted.current = at;
  const there = frames.has(at);
  const best = frames.best(at);
  useEffect(() => {
    frames
      .at(at)
      .then((picture) => {
        if (!picture || wanted.current !== at || !canvas.current) return;
        draw(canvas.current, picture);
        canvas.current.dataset.step = String(step); // that is to be seen
        onShown?.(step);
      })
      .catch(() => undefined); // a damaged frame leaves the one before
    if (playing) void frames.prepare(at, ahead).catch(() => undefined);
  }, [frames, at, playing, there, best]);
  return (
    <>
      <canvas ref={canvas} role="img" aria-label={label} data-view={best} class={there ? "" : "missing"} />
      {!there && (
        <span class="loading-moment" role="status">
          {frames.trouble ? `Waiting for the server: ${frames.trouble}` : loading}
        </span>
      )}
    </>
  );
}

/** Draw a picture at its own size; the page scales it. */
function draw(canvas: HTMLCanvasElement, picture: ImageBitmap): void {
  if (canvas.width !== picture.width || canvas.height !== picture.height) {
    canvas.width = picture.width;
    canvas.height = picture.height;
    canvas.style.aspectRatio = `${picture.width} / ${picture.height}`;
    canvas.classList.toggle("small", picture.width < 320);
  }
  canvas.getContext("2d")?.drawImage(picture, 0, 0);
}
