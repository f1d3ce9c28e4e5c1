// The film of a demonstration: a click plays or stops it.
import { useEffect, useReducer, useRef } from "preact/hooks";
import type { Frames } from "../episode/frames";
import { draw } from "../episode/picture";
import type { Player } from "../episode/player";

export function Film({ frames, player, onShown }: { frames: Frames; player: Player; onShown: (step: number) => void }) {
  const { step, playing } = player;
  const canvas = useRef<HTMLCanvasElement>(null);
  const wanted = useRef(step);
  wanted.current = step;
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  useEffect(() => {
    const unsubscribe = frames.subscribe(() => redraw(undefined));
    frames.wantSharp(false); // a film has one kind of pictures
    frames.start();
    return () => {
      unsubscribe();
      frames.stop();
    };
  }, [frames]);
  frames.want(step);
  const there = frames.has(step);
  useEffect(() => {
    frames
      .at(step)
      .then((picture) => {
        if (!picture || wanted.current !== step || !canvas.current) return;
        draw(canvas.current, picture);
        canvas.current.dataset.step = String(step); // that is to be seen
        onShown(step);
      })
      .catch(() => undefined); // a damaged frame leaves the one before
    if (playing) void frames.prepare(step, 24).catch(() => undefined);
  }, [frames, step, playing, there]);
  return (
    <div class="picture held" onClick={player.toggle}>
      <canvas ref={canvas} role="img" aria-label={`The setter's view and the place from above, at step ${step}`} class={there ? "" : "missing"} />
      {!there && (
        <span class="loading-moment" role="status">
          {frames.trouble ? `Waiting for the server: ${frames.trouble}` : "The film is being drawn…"}
        </span>
      )}
      {frames.loaded < 1 && (
        <div class="picture-bar" onClick={(event) => event.stopPropagation()}>
          <label>
            film <progress max={1} value={frames.loaded} /> {Math.floor(100 * frames.loaded)}%
          </label>
        </div>
      )}
    </div>
  );
}
