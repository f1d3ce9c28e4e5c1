// The film of a demonstration: a click plays or stops it.
import { useEffect } from "preact/hooks";
import type { Frames } from "../episode/frames";
import { Loaded, PictureAt, useFrames } from "../episode/pictures";
import type { Player } from "../episode/player";

export function Film({ frames, player, onShown }: { frames: Frames; player: Player; onShown: (step: number) => void }) {
  const { step, playing } = player;
  useEffect(() => frames.wantSharp(false), [frames]); // a film has one kind of pictures
  useFrames(frames);
  frames.want(step);
  const label = `The setter's view and the place from above, at step ${step}`;
  return (
    <div class="picture held" onClick={player.toggle}>
      <PictureAt frames={frames} at={step} playing={playing} ahead={24} label={label} loading="The film is being drawn…" onShown={onShown} />
      {frames.loaded < 1 && (
        <div class="picture-bar" onClick={(event) => event.stopPropagation()}>
          <Loaded frames={frames} what="film" />
        </div>
      )}
    </div>
  );
}
