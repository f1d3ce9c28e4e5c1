// Inferring goals: the film of a demonstration, and a form of predicates with counts.
import { useCallback, useMemo, useState } from "preact/hooks";
import { BenchFrame, Command as Button, Controls, Undo } from "../bench/frame";
import { task, type BenchProps, type Instructed, type TaskItem } from "../bench/task";
import { useBench, type Asked } from "../bench/use_bench";
import { pressed, type Shared } from "../episode/keys";
import { usePlayer } from "../episode/player";
import { Scrubber } from "../episode/scrubber";
import type { Press } from "../keyboard";
import { Film } from "./film";
import { FORM, GoalForm } from "./form";
import { Goal, inWords, type ChoiceGroup, type SaidGoal } from "./goal";
import { InferGuidelines, InferKeys } from "./guidelines";

export interface Demonstration extends TaskItem<SaidGoal>, Instructed {
  choices: ChoiceGroup[];
}

export const INFERRING = task<SaidGoal, Demonstration>({
  kind: "inferring",
  title: "Infer goals",
  done: "There are no demonstrations for you to watch just now.",
  Bench: InferBench,
});

type Command = Shared | { do: "next" | "form" };

const KEYS: Record<string, Command> = { Enter: { do: "next" }, g: { do: "form" } };

/** The command of a key press; undefined for other keys. */
export const command = (press: Press): Command | undefined => pressed<Command>(press, KEYS);

function InferBench(props: BenchProps<Demonstration>) {
  const { episode, frames } = props.work;
  const goal = useMemo(() => new Goal(episode.answers[0] ?? { id: episode.id, revision: 0, goal: {} }), [episode]);
  const player = usePlayer(episode.steps, episode.steps_per_second, props.work.position, frames);
  const [furthest, setFurthest] = useState(0); // the last step that was shown
  const show = useCallback((step: number) => setFurthest((before) => Math.max(before, step)), []);
  const bench = useBench<SaidGoal, Demonstration, Command>({
    ...props,
    task: INFERRING,
    said: goal,
    player,
    words: [],
    read: command,
    run: (asked, take) => run(asked, goal, take),
    doubt: () => doubtOf(goal, furthest, episode.steps),
    settle: () => (goal.empty ? goal.leaveOpen() : undefined),
    ending: () => ({ revision: goal.now.revision }),
  });

  const said = inWords(goal.now.goal, episode.choices);
  return (
    <BenchFrame
      bench={bench}
      person={props.person}
      title={INFERRING.title}
      class="inferring"
      desk={
        <>
          <Scrubber label="Moment of the film" steps={episode.steps} stepsPerSecond={episode.steps_per_second} step={player.step} onGo={player.go} />
          <Controls
            bench={bench}
            player={player}
            steps={episode.steps}
            stepsPerSecond={episode.steps_per_second}
            silent
            after={
              <div class="group" role="group" aria-label="Answer">
                <Undo bench={bench} />
                <Button bench={bench} asked={{ do: "remove" }} sign="✕" name="Empty the form (Delete)" disabled={goal.empty} />
              </div>
            }
          />
          <p class="goal-said" role="status">
            {said.length ? said.join("; ") : "Nothing is said yet."}
          </p>
        </>
      }
      after={
        <>
          <GoalForm groups={episode.choices} goal={goal.now.goal} disabled={bench.submitting} onSet={(choice, count) => bench.take(goal.say(choice, count))} />
          <div class="help">
            <InferGuidelines project={episode} />
            <InferKeys />
          </div>
        </>
      }
    >
      <div class="stage">
        <Film frames={frames} player={player} onShown={show} />
      </div>
    </BenchFrame>
  );
}

/** Why an answer looks unfinished; "" if it does not. */
function doubtOf(goal: Goal, furthest: number, steps: number): string {
  if (goal.empty) return "You have not said what the setter wanted. Submit this as “I cannot tell”?";
  return furthest < steps - 1 ? "You have not seen the end of the film." : "";
}

/** Run a command of inferring goals; false for another one. */
function run(asked: Command | Asked, goal: Goal, take: (said: SaidGoal | undefined) => void): boolean {
  if (asked.do === "form") document.querySelector<HTMLElement>(`#${FORM} [role=spinbutton]`)?.focus();
  else if (asked.do === "remove") take(goal.clear());
  else return false;
  return true;
}
