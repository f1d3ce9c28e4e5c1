// Comparing: what was asked, two clips side by side in a loop, one line to move through both, the answer.
import type { ComponentChildren } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import { ask } from "../api";
import { BenchFrame, Command as Button, Controls, Undo } from "../bench/frame";
import { routesOf, task, type BenchProps, type Instructed, type TaskItem } from "../bench/task";
import { useBench, type Asked, type Bench } from "../bench/use_bench";
import { pressed, type Shared } from "../episode/keys";
import { Loaded, useFrames, ViewButton } from "../episode/pictures";
import { Scrubber } from "../episode/scrubber";
import type { Words } from "../episode/types";
import type { Press } from "../keyboard";
import type { Edit } from "../saving/local_store";
import { Undoable } from "../saving/undoable";
import { ClipView, Request } from "./clip";
import { CompareGuidelines, CompareKeys, QuickKeys } from "./guidelines";
import { useLoop } from "./loop";

export interface Clip {
  request: string; // what the setter had asked; "": nothing
  words: Words[]; // steps count from the clip's first; what was said before it has negative ones
  actions?: string[]; // what the solver does at every step, in a world with declared spaces
}

/** The better clip by its side of the page, or none of them; "": no answer yet, or taken back. */
type Given = "" | "left" | "right" | "same" | "cannot tell";

export interface SaidAnswer extends Edit {
  answer: Given;
}

/** Two clips of one length. `steps` counts the pictures of both: those of the left clip, then those of the right one. */
export interface ClipPair extends TaskItem<SaidAnswer>, Instructed {
  clips: [Clip, Clip]; // left, right
  pictured?: boolean; // false: no pictures were recorded, what was observed is drawn plainly
}

export const COMPARING = task<SaidAnswer, ClipPair>({
  kind: "comparing",
  title: "Compare clips",
  done: "There are no clips for you to compare just now.",
  Bench: (props) => <Comparing {...props} />,
});

export class Answer extends Undoable<SaidAnswer> {
  /** Answer. Returns what is new to say, if anything is. */
  give(answer: Given): SaidAnswer | undefined {
    return this.change({ answer });
  }
}

type Command = Shared | { do: "answer"; answer: Given } | { do: "next" };

const KEYS: Record<string, Command> = {
  a: { do: "answer", answer: "left" },
  b: { do: "answer", answer: "right" },
  s: { do: "answer", answer: "same" },
  "=": { do: "answer", answer: "same" },
  u: { do: "answer", answer: "cannot tell" },
  Enter: { do: "next" },
};

const QUICK_KEYS: Record<string, Command> = {
  "1": { do: "answer", answer: "left" },
  "2": { do: "answer", answer: "right" },
  "0": { do: "answer", answer: "same" },
  "=": { do: "answer", answer: "same" },
};

/** The command of a key press; undefined for other keys. */
export const command = (press: Press): Command | undefined => pressed<Command>(press, KEYS);
export const quickCommand = (press: Press): Command | undefined => pressed<Command>(press, QUICK_KEYS);

const ANSWERS: [Given, string][] = [
  ["left", "A is better"],
  ["same", "the same"],
  ["right", "B is better"],
  ["cannot tell", "cannot tell"],
];
const QUICK_ANSWERS: [Given, string][] = [
  ["left", "1 is better"],
  ["same", "no difference"],
  ["right", "2 is better"],
];
const QUICK_SPEED = 2;

interface ComparingProps extends BenchProps<ClipPair> {
  title?: string;
  quick?: boolean; // one key answers and opens the next pair, and undo opens the one before
  before?: ComponentChildren;
}

export function Comparing(props: ComparingProps) {
  const { quick } = props;
  const names: [string, string] = quick ? ["1", "2"] : ["A", "B"];
  const { episode: pair, frames } = props.work;
  const [left, right] = pair.clips;
  const steps = pair.steps / 2;
  const answer = useMemo(() => new Answer(pair.answers[0] ?? { id: pair.id, revision: 0, answer: "" }), [pair]);
  useFrames(frames);
  const loop = useLoop(steps, pair.steps_per_second, (step) => frames.has(step) && frames.has(steps + step));
  const spoken = pair.clips.flatMap((clip) => clip.words.map((words) => words.step)).filter((step) => step >= 0);
  const bench: Bench<Command> = useBench<SaidAnswer, ClipPair, Command>({
    ...props,
    task: COMPARING,
    said: answer,
    player: loop,
    at: loop.playing ? loop.loop : loop.step, // counts the time of work; nobody needs the place in a loop
    words: spoken.sort((a, b) => a - b),
    read: quick ? quickCommand : command,
    run: (asked, take, say) => {
      if (quick && asked.do === "undo") {
        void takeBack(props.onNext, say);
        return true;
      }
      const known = run(asked, answer, take);
      if (quick && asked.do === "answer") bench.submit(true);
      return known;
    },
    lacks: () => (answer.now.answer ? "" : `Give an answer first: ${quick ? "1, 2 or 0" : "A, B, S or U"}.`),
    ending: () => ({ revision: answer.now.revision }),
  });

  useEffect(() => {
    if (quick) loop.setSpeed(QUICK_SPEED);
  }, [pair.id]);

  const oneRequest = left.request === right.request;
  const given = answer.now.answer;
  const clip = { frames, loop, stepsPerSecond: pair.steps_per_second, ownRequest: !oneRequest };
  return (
    <BenchFrame
      bench={bench}
      person={props.person}
      title={props.title ?? COMPARING.title}
      class={quick ? "comparing quick" : "comparing"}
      desk={
        <>
          <Scrubber label="Moment of both clips" steps={steps} stepsPerSecond={pair.steps_per_second} step={loop.step} onGo={loop.go} />
          <Controls
            bench={bench}
            player={loop}
            steps={steps}
            stepsPerSecond={pair.steps_per_second}
            answer={
              <div class="group answers" role="group" aria-label="Answer">
                {(quick ? QUICK_ANSWERS : ANSWERS).map(([each, words]) => (
                  <button key={each} type="button" class="answer" aria-pressed={given === each} disabled={bench.submitting} onClick={() => bench.obey({ do: "answer", answer: each })}>
                    {words}
                  </button>
                ))}
                {quick ? <Button bench={bench} asked={{ do: "undo" }} sign="↶" name="Take the last answer back (Ctrl Z)" /> : <Undo bench={bench} />}
              </div>
            }
            ready={given !== ""}
            submit={quick ? null : undefined}
          />
        </>
      }
    >
      {props.before}
      <div class="stage">
        <header class="question-bar">
          <p>
            {oneRequest ? (
              <>
                The setter asked: <Request request={left.request} />
              </>
            ) : (
              `The setter asked for something else in ${names.join(" than in ")}.`
            )}
          </p>
          <div class="pictures-state">
            <Loaded frames={frames} what="pictures" />
            <ViewButton frames={frames} pictured={pair.pictured ?? true} at={0} />
          </div>
        </header>
        <div class="clips">
          <ClipView {...clip} name={names[0]} clip={left} first={0} chosen={given === "left"} />
          <ClipView {...clip} name={names[1]} clip={right} first={steps} chosen={given === "right"} />
        </div>
      </div>
      <div class="side">
        {quick ? <QuickKeys /> : null}
        <CompareGuidelines project={pair} names={names} quick={quick} />
        {quick ? null : <CompareKeys />}
      </div>
    </BenchFrame>
  );
}

/** Run a command of comparing; false for another one. */
function run(asked: Command | Asked, answer: Answer, take: (said: SaidAnswer | undefined) => void): boolean {
  if (asked.do === "answer") take(answer.give(asked.answer));
  else if (asked.do === "remove") take(answer.give(""));
  else return false;
  return true;
}

/** Open the pair before, with its answer. */
async function takeBack(onNext: () => void, say: (trouble: string) => void): Promise<void> {
  try {
    await ask("POST", `${routesOf(COMPARING.kind)}/back`);
    onNext();
  } catch (error) {
    say((error as Error).message);
  }
}
