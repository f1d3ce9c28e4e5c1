// The comparing page: what was asked, two clips side by side in a loop, one line to move through both, the answer.
import { useCallback, useEffect, useMemo, useReducer, useState } from "preact/hooks";
import { ask, type Me } from "../api";
import { keepFocus, useKeys } from "../episode/press";
import { SPEEDS } from "../episode/player";
import { Scrubber } from "../episode/scrubber";
import { AS_SEEN, ViewButton } from "../episode/picture";
import type { Frames } from "../episode/frames";
import { Frame, Trouble } from "../frame";
import { Saved, useEdits } from "../saving/edits";
import type { Work } from "../saving/work";
import { Answer, type SaidAnswer } from "./answer";
import { ClipView, Request } from "./clip";
import { CompareControls } from "./controls";
import { CompareGuidelines, CompareKeys } from "./guidelines";
import { command, type Command } from "./keys";
import { ANSWERS, type ClipPair } from "./load";
import { useLoop, type Loop } from "./loop";

export function CompareBench(props: { person: Me; work: Work<ClipPair>; onNext: () => void }) {
  const { episode: pair, frames } = props.work;
  const [left, right] = pair.clips;
  const steps = pair.steps / 2;
  const answer = useMemo(() => new Answer({ id: pair.id, ...pair.answer }), [pair]);
  const [submitting, setSubmitting] = useState(false);
  const [trouble, setTrouble] = useState("");
  const view = useFrames(frames, pair.pictured ?? true);
  const loop = useLoop(steps, pair.steps_per_second, (step) => frames.has(step) && frames.has(steps + step));
  const { queue, saved, changed } = useEdits<SaidAnswer, ClipPair>({
    person: props.person,
    work: props.work,
    store: ANSWERS,
    step: loop.playing ? loop.loop : loop.step, // counts the time of work; nobody needs the place in a loop
    put,
    learn: (said) => answer.learn(said),
    now: () => ({ answer: answer.now }),
  });

  const take = useCallback(
    (said: SaidAnswer | undefined) => {
      if (!said) return;
      setTrouble("");
      changed();
      void queue.add(pair.id, said);
    },
    [queue, pair.id],
  );
  const next = async () => {
    if (!answer.now.answer) return setTrouble("Give an answer first: A, B, S or U.");
    setSubmitting(true);
    setTrouble("");
    try {
      await queue.flush();
      await ask("POST", `/api/comparing/${pair.id}/submit`, { revision: answer.now.revision });
      await ANSWERS.forgetWork(props.person.id).catch(() => undefined); // or a lost connection would bring it back
      props.onNext();
    } catch (error) {
      setTrouble((error as Error).message);
      setSubmitting(false);
    }
  };
  const obey = (asked: Command) => (asked.do === "next" ? void next() : run(asked, answer, loop, take, pair));
  useKeys(command, obey, !submitting);
  useEffect(() => void (saved.waiting === 0 && setTrouble("")), [saved.waiting]); // all that was missing is saved now

  const oneRequest = left.request === right.request;
  const clip = { frames, loop, stepsPerSecond: pair.steps_per_second, ownRequest: !oneRequest };
  return (
    <Frame title="Compare clips" me={props.person} status={<Saved state={saved} />} wide>
      <div class="bench comparing" onMouseDown={keepFocus}>
        <div class="stage">
          <header class="question-bar">
            <p>
              {oneRequest ? (
                <>
                  The setter asked: <Request request={left.request} />
                </>
              ) : (
                "The setter asked for something else in A than in B."
              )}
            </p>
            {view}
          </header>
          <div class="clips">
            <ClipView {...clip} name="A" clip={left} first={0} chosen={answer.now.answer === "left"} />
            <ClipView {...clip} name="B" clip={right} first={steps} chosen={answer.now.answer === "right"} />
          </div>
        </div>
        <div class="side">
          <CompareGuidelines title={pair.title} instructions={pair.instructions} />
          <CompareKeys />
        </div>
        <div class="desk">
          <Scrubber label="Moment of both clips" steps={steps} stepsPerSecond={pair.steps_per_second} step={loop.step} onGo={loop.go} />
          <CompareControls loop={loop} steps={steps} stepsPerSecond={pair.steps_per_second} answer={answer} submitting={submitting} onCommand={obey} />
          <Trouble said={trouble} />
        </div>
      </div>
    </Frame>
  );
}

/** Load the pictures of both clips. Returns what says how far they are loaded, and chooses between sharp and recorded. */
function useFrames(frames: Frames, pictured: boolean) {
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
  const toggle = () => {
    localStorage.setItem(AS_SEEN, asSeen ? "no" : "yes");
    setAsSeen(!asSeen);
  };
  return (
    <div class="pictures-state">
      {frames.loaded < 1 && (
        <label>
          pictures <progress max={1} value={frames.loaded} /> {Math.floor(100 * frames.loaded)}%
        </label>
      )}
      {frames.drawable && <ViewButton pictured={pictured} asSeen={asSeen} sharp={frames.best(0) === "sharp"} onToggle={toggle} />}
    </div>
  );
}

/** Send the answer to one pair of clips, and the time of work. */
function put(assignment: string, batch: SaidAnswer[], place: { active_sec: number }): Promise<unknown> {
  const { revision, answer } = batch.reduce((last, said) => (said.revision > last.revision ? said : last));
  return ask("PUT", `/api/comparing/${assignment}/answer`, { revision, answer, active_sec: place.active_sec });
}

/** Run the command of a key or button. */
function run(asked: Command, answer: Answer, loop: Loop, take: (said: SaidAnswer | undefined) => void, pair: ClipPair): void {
  switch (asked.do) {
    case "answer":
      return take(answer.give(asked.answer));
    case "remove":
      return take(answer.give(""));
    case "undo":
      return take(answer.undo());
    case "redo":
      return take(answer.redo());
    case "step":
      return loop.go(loop.step + asked.by);
    case "place":
      return loop.go(asked.end ? Infinity : 0);
    case "toggle":
      return loop.toggle();
    case "speed":
      return loop.setSpeed(SPEEDS[asked.index] ?? 1);
    case "jump": {
      const said = pair.clips.flatMap((clip) => clip.words.map((words) => words.step)).filter((step) => step >= 0);
      const steps = said.sort((a, b) => asked.direction * (a - b));
      const next = steps.find((step) => asked.direction * (step - loop.step) > 0);
      return next === undefined ? undefined : loop.go(next);
    }
    default:
      return undefined;
  }
}
