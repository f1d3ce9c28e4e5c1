// The solver's view at a step. The mouse scans the episode until a click chooses a moment; another click scans again.
import { useEffect, useReducer, useRef, useState } from "preact/hooks";
import type { Frames } from "./frames";
import type { Player } from "./player";

interface Props {
  frames: Frames;
  player: Player;
  caption: string;
  pictured?: boolean; // false: no pictures were recorded, and what was observed is drawn plainly
  onScan: (share: number) => void; // the mouse is at this share of the picture's width
}

export const AS_SEEN = "rlhf-as-seen"; // in this browser: only what the agent saw is shown

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

/** A button that says which pictures are shown, and changes between sharp ones and what the agent saw. */
export function ViewButton(props: { pictured: boolean; asSeen: boolean; sharp: boolean; onToggle: () => void }) {
  const words = props.pictured ? RECORDED : OBSERVED;
  return (
    <button type="button" aria-pressed={props.asSeen} onClick={props.onToggle} title={words.title}>
      {words[props.asSeen ? "seen" : props.sharp ? "sharp" : "coming"]}
    </button>
  );
}

export function Picture({ frames, player, caption, pictured = true, onScan }: Props) {
  const { step, playing } = player;
  const canvas = useRef<HTMLCanvasElement>(null);
  const wanted = useRef(step);
  wanted.current = step;
  const [asSeen, setAsSeen] = useState(() => localStorage.getItem(AS_SEEN) === "yes");
  const [, redraw] = useReducer((count: number) => count + 1, 0);

  useEffect(() => {
    const unsubscribe = frames.subscribe(() => redraw(undefined));
    frames.start();
    return () => {
      unsubscribe();
      frames.stop();
    };
  }, [frames]);
  useEffect(() => frames.wantSharp(!asSeen), [frames, asSeen]);
  frames.want(step);
  const there = frames.has(step);
  const best = frames.best(step);

  useEffect(() => {
    frames
      .at(step)
      .then((picture) => {
        if (picture && wanted.current === step && canvas.current) draw(canvas.current, picture);
      })
      .catch(() => undefined); // a damaged frame leaves the one before
    if (playing) void frames.prepare(step, 24).catch(() => undefined);
  }, [frames, step, playing, there, best]);

  const scan = (event: PointerEvent) => {
    const box = (event.currentTarget as HTMLElement).getBoundingClientRect();
    if (event.pointerType === "mouse") onScan((event.clientX - box.left) / box.width);
  };
  const toggle = () => {
    localStorage.setItem(AS_SEEN, asSeen ? "no" : "yes");
    setAsSeen(!asSeen);
  };
  return (
    <div class={`picture ${player.held ? "held" : "scanning"}`} onPointerMove={scan} onClick={player.hold}>
      <canvas ref={canvas} role="img" aria-label={caption} data-view={best} class={there ? "" : "missing"} />
      {!there && (
        <span class="loading-moment" role="status">
          {frames.trouble ? `Waiting for the server: ${frames.trouble}` : "Loading this moment…"}
        </span>
      )}
      {!playing && there && <span class="hold">{player.held ? "this moment stays · click the picture to scan" : "move the mouse to scan · click to stay"}</span>}
      <div class="picture-bar" onPointerMove={(event) => event.stopPropagation()} onClick={(event) => event.stopPropagation()}>
        {frames.loaded < 1 && (
          <label>
            pictures <progress max={1} value={frames.loaded} /> {Math.floor(100 * frames.loaded)}%
          </label>
        )}
        {frames.drawable && <ViewButton pictured={pictured} asSeen={asSeen} sharp={best === "sharp"} onToggle={toggle} />}
      </div>
    </div>
  );
}

/** Draw a picture at its own size; the page scales it. */
export function draw(canvas: HTMLCanvasElement, picture: ImageBitmap): void {
  if (canvas.width !== picture.width || canvas.height !== picture.height) {
    canvas.width = picture.width;
    canvas.height = picture.height;
    canvas.style.aspectRatio = `${picture.width} / ${picture.height}`;
    canvas.classList.toggle("small", picture.width < 320);
  }
  canvas.getContext("2d")?.drawImage(picture, 0, 0);
}
