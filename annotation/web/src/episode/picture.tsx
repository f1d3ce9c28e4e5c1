// The solver's view at a step. Moving the mouse over it scans the episode.
import { useEffect, useRef } from "preact/hooks";
import type { Frames } from "./frames";

export function Picture(props: { frames: Frames; step: number; playing: boolean; caption: string; onScan: (share: number) => void }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const wanted = useRef(props.step);
  wanted.current = props.step;

  useEffect(() => {
    props.frames
      .at(props.step)
      .then((picture) => {
        if (wanted.current === props.step && canvas.current) draw(canvas.current, picture);
      })
      .catch(() => undefined); // a damaged frame leaves the one before
    if (props.playing) void props.frames.prepare(props.step, 24).catch(() => undefined);
  }, [props.frames, props.step, props.playing]);

  const scan = (event: PointerEvent) => {
    const box = (event.currentTarget as HTMLElement).getBoundingClientRect();
    if (event.pointerType === "mouse") props.onScan((event.clientX - box.left) / box.width);
  };
  return (
    <div class="picture" onPointerMove={scan}>
      <canvas ref={canvas} role="img" aria-label={props.caption} />
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
