// The moment of the episode that is shown: playing, scanning with the mouse, or a chosen moment.
import { useCallback, useEffect, useRef, useState } from "preact/hooks";

export const SPEEDS = [0.5, 1, 2, 4];

export interface Player {
  step: number;
  since: number; // the first step that playing has passed since the picture before, or `step` itself
  playing: boolean;
  speed: number;
  held: boolean; // a moment was chosen: the mouse does not scan
  go: (step: number) => void; // choose a moment; stops playing
  scan: (step: number) => void; // the mouse is there; nothing happens while playing or held
  hold: () => void; // choose the present moment, or let the mouse scan again
  toggle: () => void; // play or stop
  setSpeed: (speed: number) => void;
}

const LOOK_MS = 500; // longer between two pictures, and the page was hidden, or too busy to be watched

/** The first step that playing has passed on its way from `before` to `next`, for which it took `ms`. */
export function passedFrom(before: number, next: number, ms: number): number {
  return ms < LOOK_MS ? Math.min(before + 1, next) : next;
}

/** The moment that is shown of an episode of `steps`. Playing waits for steps that `frames` does not have yet. */
export function usePlayer(steps: number, stepsPerSecond: number, start: number, frames: { has(step: number): boolean }): Player {
  const [{ step, since = step }, setShown] = useState<{ step: number; since?: number }>({ step: Math.min(start, steps - 1) });
  const [playing, setPlaying] = useState(false);
  const [speed, setSpeed] = useState(1);
  const [held, setHeld] = useState(false);
  const now = useRef(step);
  now.current = step;
  const show = (step: number, since = step) => setShown((shown) => (shown.step === step ? shown : { step, since }));

  useEffect(() => {
    if (!playing) return undefined;
    let from = now.current;
    let began = performance.now();
    let drawn = began;
    let frame = 0;
    const tick = () => {
      const ms = performance.now() - drawn;
      drawn += ms;
      const next = from + Math.floor(((drawn - began) / 1000) * stepsPerSecond * speed);
      if (next < steps && !frames.has(next)) {
        from = now.current;
        began = drawn;
        frame = requestAnimationFrame(tick);
        return;
      }
      const last = Math.min(next, steps - 1);
      show(last, passedFrom(now.current, last, ms));
      if (next >= steps - 1) setPlaying(false);
      else frame = requestAnimationFrame(tick);
    };
    frame = requestAnimationFrame(tick);
    return () => cancelAnimationFrame(frame);
  }, [playing, speed, steps, stepsPerSecond, frames]);

  const go = useCallback(
    (to: number) => {
      setPlaying(false);
      setHeld(true);
      show(Math.max(0, Math.min(to, steps - 1)));
    },
    [steps],
  );
  const scan = useCallback((to: number) => !playing && !held && show(Math.max(0, Math.min(to, steps - 1))), [playing, held, steps]);
  const hold = useCallback(() => {
    setPlaying(false);
    setHeld(playing || !held);
  }, [playing, held]);
  const toggle = useCallback(() => {
    if (!playing && now.current >= steps - 1) show(0);
    setPlaying(!playing);
    setHeld(true);
  }, [playing, steps]);
  return { step, since, playing, speed, held, go, scan, hold, toggle, setSpeed };
}

/** Minutes, seconds and tenths at which a step begins. */
export function clock(step: number, stepsPerSecond: number): string {
  const tenths = Math.round((step / stepsPerSecond) * 10);
  const seconds = ((tenths % 600) / 10).toFixed(1).padStart(4, "0");
  return `${Math.floor(tenths / 600)}:${seconds}`;
}
