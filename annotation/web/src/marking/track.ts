// A line on which every step of an episode has its place.
import { useRef } from "preact/hooks";

/** The step under the mouse, and where on the line a step is. */
export function useTrack(steps: number) {
  const track = useRef<HTMLDivElement>(null);
  const stepAt = (x: number): number => {
    const box = track.current!.getBoundingClientRect();
    return Math.max(0, Math.min(steps - 1, Math.floor(((x - box.left) / box.width) * steps)));
  };
  const place = (step: number) => ({ left: `${((step + 0.5) / steps) * 100}%` });
  return { track, stepAt, place };
}
