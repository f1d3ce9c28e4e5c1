// The page on which goals are inferred: the film of a demonstration, and a form of predicates with counts.
import { useCallback, useEffect, useMemo, useState } from "preact/hooks";
import { ask, type Me } from "../api";
import { SPEEDS, usePlayer, type Player } from "../episode/player";
import { keepFocus, useKeys } from "../episode/press";
import { Question } from "../episode/question";
import { Scrubber } from "../episode/scrubber";
import { Playing, Tool } from "../episode/transport";
import { Frame, Trouble } from "../frame";
import { Saved, useEdits } from "../saving/edits";
import type { Work } from "../saving/work";
import { Film } from "./film";
import { FORM, GoalForm } from "./form";
import { Goal, inWords, type SaidGoal } from "./goal";
import { WatchGuidelines, WatchKeys } from "./guidelines";
import { command, type Command } from "./keys";
import { GOALS, type Demonstration } from "./load";

export function WatchBench(props: { person: Me; work: Work<Demonstration>; onNext: () => void }) {
  const { episode, frames } = props.work;
  const goal = useMemo(() => new Goal({ id: episode.id, ...episode.answer }), [episode]);
  const [submitting, setSubmitting] = useState(false);
  const [asking, setAsking] = useState("");
  const [trouble, setTrouble] = useState("");
  const player = usePlayer(episode.steps, episode.steps_per_second, props.work.position, frames);
  const [furthest, setFurthest] = useState(0); // the last step that was shown
  const show = useCallback((step: number) => setFurthest((before) => Math.max(before, step)), []);
  const { queue, saved, changed } = useEdits<SaidGoal, Demonstration>({
    person: props.person,
    work: props.work,
    store: GOALS,
    step: player.step,
    put,
    learn: (said) => goal.learn(said),
    now: () => ({ answer: goal.now }),
  });

  const take = useCallback(
    (said: SaidGoal | undefined) => {
      if (!said) return;
      setTrouble("");
      setAsking("");
      changed();
      void queue.add(episode.id, said);
    },
    [queue, episode.id],
  );
  const next = async (sure: boolean) => {
    const doubt = sure ? "" : doubtOf(goal, furthest, episode.steps);
    setAsking(doubt);
    if (doubt) return;
    if (goal.empty) take(goal.leaveOpen());
    setSubmitting(true);
    setTrouble("");
    try {
      await queue.flush();
      await ask("POST", `/api/watching/${episode.id}/submit`, { revision: goal.now.revision });
      await GOALS.forgetWork(props.person.id).catch(() => undefined); // or a lost connection would bring it back
      props.onNext();
    } catch (error) {
      setTrouble((error as Error).message);
      setSubmitting(false);
    }
  };
  const obey = (asked: Command) => (asked.do === "next" ? void next(false) : run(asked, goal, player, take));
  useKeys(command, obey, !submitting && !asking);
  useEffect(() => void (saved.waiting === 0 && setTrouble("")), [saved.waiting]); // all that was missing is saved now

  const tool = (asked: Command, sign: string, name: string, disabled: boolean) => (
    <Tool sign={sign} name={name} disabled={disabled || submitting} onPress={() => obey(asked)} />
  );
  const said = inWords(goal.now.goal, episode.choices);
  return (
    <Frame title="Infer goals" me={props.person} status={<Saved state={saved} />} wide>
      <div class="bench watching" onMouseDown={keepFocus}>
        <div class="stage">
          <Film frames={frames} player={player} onShown={show} />
        </div>
        <div class="desk">
          <Scrubber label="Moment of the film" steps={episode.steps} stepsPerSecond={episode.steps_per_second} step={player.step} onGo={player.go} />
          <div class="controls">
            <Playing player={player} steps={episode.steps} stepsPerSecond={episode.steps_per_second} disabled={submitting} onCommand={obey} silent />
            <div class="group" role="group" aria-label="Answer">
              {tool({ do: "undo" }, "↶", "Undo (Ctrl Z)", !goal.canUndo)}
              {tool({ do: "redo" }, "↷", "Redo (Ctrl Y)", !goal.canRedo)}
              {tool({ do: "remove" }, "✕", "Empty the form (Delete)", goal.empty)}
            </div>
            <div class="group end">
              <button type="button" class="primary" disabled={submitting} onClick={() => void next(false)}>
                {submitting ? "Saving…" : "Next (Enter)"}
              </button>
            </div>
          </div>
          <p class="goal-said" role="status">
            {said.length ? said.join("; ") : "Nothing is said yet."}
          </p>
          {asking && <Question text={asking} onSubmit={() => void next(true)} onBack={() => setAsking("")} />}
          <Trouble said={trouble} />
        </div>
        <GoalForm groups={episode.choices} goal={goal.now.goal} disabled={submitting} onSet={(choice, count) => take(goal.say(choice, count))} />
        <div class="help">
          <WatchGuidelines title={episode.title} instructions={episode.instructions} />
          <WatchKeys />
        </div>
      </div>
    </Frame>
  );
}

/** Why an answer looks unfinished; "" if it does not. */
function doubtOf(goal: Goal, furthest: number, steps: number): string {
  if (goal.empty) return "You have not said what the setter wanted. Submit this as “I cannot tell”?";
  return furthest < steps - 1 ? "You have not seen the end of the film." : "";
}

/** Send the answer on one demonstration, and the moment that is shown. */
function put(assignment: string, batch: SaidGoal[], place: { position: number; active_sec: number }): Promise<unknown> {
  const { revision, goal } = batch.reduce((last, said) => (said.revision > last.revision ? said : last));
  return ask("PUT", `/api/watching/${assignment}/goal`, { revision, goal, ...place });
}

/** Run the command of a key or button. */
function run(asked: Command, goal: Goal, player: Player, take: (said: SaidGoal | undefined) => void): void {
  switch (asked.do) {
    case "form":
      return document.querySelector<HTMLElement>(`#${FORM} [role=spinbutton]`)?.focus();
    case "remove":
      return take(goal.clear());
    case "undo":
      return take(goal.undo());
    case "redo":
      return take(goal.redo());
    case "step":
      return player.go(player.step + asked.by);
    case "place":
      return player.go(asked.end ? Infinity : 0);
    case "toggle":
      return player.toggle();
    case "speed":
      return player.setSpeed(SPEEDS[asked.index] ?? 1);
    default:
      return undefined;
  }
}
