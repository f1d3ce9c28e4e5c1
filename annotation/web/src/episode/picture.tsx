// The solver's view at a step. The mouse scans the episode until a click chooses a moment; another click scans again.
import type { Frames } from "./frames";
import { Loaded, PictureAt, useFrames, ViewButton } from "./pictures";
import type { Player } from "./player";

interface Props {
  frames: Frames;
  player: Player;
  caption: string;
  pictured?: boolean; // false: no pictures were recorded, and what was observed is drawn plainly
  onScan: (share: number) => void; // the mouse is at this share of the picture's width
}

export function Picture({ frames, player, caption, pictured = true, onScan }: Props) {
  const { step, playing, held } = player;
  useFrames(frames);
  frames.want(step);
  const scan = (event: PointerEvent) => {
    const box = (event.currentTarget as HTMLElement).getBoundingClientRect();
    if (event.pointerType === "mouse") onScan((event.clientX - box.left) / box.width);
  };
  return (
    <div class={`picture ${held ? "held" : "scanning"}`} onPointerMove={scan} onClick={player.hold}>
      <PictureAt frames={frames} at={step} playing={playing} ahead={24} label={caption} loading="Loading this moment…" />
      {!playing && frames.has(step) && <span class="hold">{held ? "this moment stays · click the picture to scan" : "move the mouse to scan · click to stay"}</span>}
      <div class="picture-bar" onPointerMove={(event) => event.stopPropagation()} onClick={(event) => event.stopPropagation()}>
        <Loaded frames={frames} what="pictures" />
        <ViewButton frames={frames} pictured={pictured} at={step} />
      </div>
    </div>
  );
}
