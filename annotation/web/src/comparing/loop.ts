// The moment that both clips show: they play again and again, in step with each other.
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import type { Player } from "../episode/player";

const PAUSE_SEC = 0.7; // on the last picture, before the clips begin again
const MOST_LOOPS = 20; // then the clips stop: nobody may be watching

export interface Loop extends Player {
  loop: number; // how many times the clips have ended
}

/** Step and loop at a time since the clips began, in seconds of play. */
export function momentAt(seconds: number, steps: number, stepsPerSecond: number): { step: number; loop: number } {
  const round = steps / stepsPerSecond + PAUSE_SEC;
  const loop = Math.floor(seconds / round);
  return { loop, step: Math.min(steps - 1, Math.floor((seconds - loop * round) * stepsPerSecond + 1e-9)) };
}

/** Play clips of `steps` in a loop, from the beginning on, unless people have asked for less motion. */
export function useLoop(steps: number, stepsPerSecond: number, ready: (step: number) => boolean): Loop {
  const [{ step, loop }, setMoment] = useState({ step: 0, loop: 0 });
  const [playing, setPlaying] = useState(() => !matchMedia("(prefers-reduced-motion: reduce)").matches);
  const [speed, setSpeed] = useState(1);
  const seconds = useRef(0); // of play
  const moving = useRef(playing); // at once, while a picture of the screen may still be due
  const isReady = useRef(ready);
  isReady.current = ready;

  const show = useCallback(
    (moment: { step: number; loop: number }) => setMoment((now) => (now.step === moment.step && now.loop === moment.loop ? now : moment)),
    [],
  );
  const play = useCallback((on: boolean) => {
    moving.current = on;
    setPlaying(on);
  }, []);
  useEffect(() => {
    if (!playing) return undefined;
    let last = performance.now();
    let frame = requestAnimationFrame(tick);
    const until = momentAt(seconds.current, steps, stepsPerSecond).loop + MOST_LOOPS;
    function tick(): void {
      if (!moving.current) return;
      const now = performance.now();
      const next = seconds.current + ((now - last) / 1000) * speed;
      const moment = momentAt(next, steps, stepsPerSecond);
      last = now;
      if (isReady.current(moment.step)) {
        seconds.current = next;
        show(moment);
      }
      if (moment.loop >= until) play(false);
      else frame = requestAnimationFrame(tick);
    }
    return () => cancelAnimationFrame(frame);
  }, [playing, speed, steps, stepsPerSecond]);

  const go = useCallback(
    (to: number) => {
      play(false);
      const chosen = Math.max(0, Math.min(to, steps - 1));
      seconds.current = chosen / stepsPerSecond;
      show({ step: chosen, loop: 0 });
    },
    [steps, stepsPerSecond],
  );
  const toggle = useCallback(() => play(!moving.current), []);
  const nothing = useCallback(() => undefined, []); // the mouse does not scan clips
  return { step, since: step, loop, playing, speed, held: true, go, scan: nothing, hold: nothing, toggle, setSpeed };
}
