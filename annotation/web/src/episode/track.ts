// A line on which every step of an episode has its place.
import { useRef } from "preact/hooks";
import { Scale } from "./scale";

/** The step under the mouse, and where on the line a step is. */
export function useTrack(steps: number, from?: number) {
  const track = useRef<HTMLDivElement>(null);
  const scale = new Scale(steps, from);
  const stepAt = (x: number): number => {
    const box = track.current!.getBoundingClientRect();
    return scale.step((x - box.left) / box.width);
  };
  const place = (step: number) => ({ left: `${scale.share(step + 0.5) * 100}%` });
  return { track, scale, stepAt, place };
}
