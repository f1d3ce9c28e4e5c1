// The solver's view at a step. The mouse scans the episode until a click chooses a moment; another click scans again.
import { useEffect, useRef } from "preact/hooks";
import type { Frames } from "./frames";
import type { Player } from "./player";

interface Props {
  frames: Frames;
  player: Player;
  caption: string;
  onScan: (share: number) => void; // the mouse is at this share of the picture's width
}

export function Picture({ frames, player, caption, onScan }: Props) {
  const { step, playing } = player;
  const canvas = useRef<HTMLCanvasElement>(null);
  const wanted = useRef(step);
  wanted.current = step;

  useEffect(() => {
    frames
      .at(step)
      .then((picture) => {
        if (wanted.current === step && canvas.current) draw(canvas.current, picture);
      })
      .catch(() => undefined); // a damaged frame leaves the one before
    if (playing) void frames.prepare(step, 24).catch(() => undefined);
  }, [frames, step, playing]);

  const scan = (event: PointerEvent) => {
    const box = (event.currentTarget as HTMLElement).getBoundingClientRect();
    if (event.pointerType === "mouse") onScan((event.clientX - box.left) / box.width);
  };
  return (
    <div class={`picture ${player.held ? "held" : "scanning"}`} onPointerMove={scan} onClick={player.hold}>
      <canvas ref={canvas} role="img" aria-label={caption} />
      {!playing && <span class="hold">{player.held ? "this moment stays · click the picture to scan" : "move the mouse to scan · click to stay"}</span>}
    </div>
  );
}

function draw(canvas: HTMLCanvasElement, picture: ImageBitmap): void {
  if (canvas.width !== picture.width || canvas.height !== picture.height) {
    canvas.width = picture.width;
    canvas.height = picture.height;
    canvas.style.aspectRatio = `${picture.width} / ${picture.height}`;
    canvas.classList.toggle("small", picture.width < 320);
  }
  canvas.getContext("2d")?.drawImage(picture, 0, 0);
}
