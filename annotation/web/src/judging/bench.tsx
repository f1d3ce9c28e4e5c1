// The judging page: the request, the picture, the timeline with the judged part after a line, the verdict.
import { useCallback, useEffect, useMemo, useState } from "preact/hooks";
import { ask, type Me } from "../api";
import { Frame, Trouble } from "../frame";
import { Captions, Dialogue } from "../episode/dialogue";
import type { Work } from "../saving/work";
import type { Mark } from "../episode/types";
import { Picture } from "../episode/picture";
import { SPEEDS, usePlayer } from "../episode/player";
import { Scale } from "../episode/scale";
import { Timeline } from "../episode/timeline";
import { keepFocus, useKeys } from "../episode/press";
import { Saved, useEdits } from "../saving/edits";
import { JudgeControls } from "./controls";
import { JudgeGuidelines, JudgeKeys } from "./guidelines";
import { command, type Command } from "./keys";
import { VERDICTS, type Continuation } from "./load";
import { Verdict, type SaidVerdict } from "./verdict";

export function JudgeBench(props: { person: Me; work: Work<Continuation>; onNext: () => void }) {
  const { episode, frames } = props.work;
  const verdict = useMemo(() => new Verdict({ id: episode.id, ...episode.verdict }, episode.takes_over, episode.steps), [episode]);
  const scale = useMemo(() => new Scale(episode.steps, episode.takes_over), [episode]);
  const [submitting, setSubmitting] = useState(false);
  const [trouble, setTrouble] = useState("");
  const player = usePlayer(episode.steps, episode.steps_per_second, props.work.position, frames);
  const { queue, saved, changed } = useEdits<SaidVerdict, Continuation>({
    person: props.person,
    work: props.work,
    store: VERDICTS,
    step: player.step,
    put,
    learn: (said) => verdict.learn(said),
    now: () => ({ verdict: verdict.now }),
  });

  const take = useCallback(
    (said: SaidVerdict | undefined) => {
      if (!said) return;
      setTrouble("");
      changed();
      void queue.add(episode.id, said);
    },
    [queue, episode.id],
  );

  const next = async () => {
    if (!verdict.given) return setTrouble("Give a verdict first: S, F, X or U.");
    setSubmitting(true);
    setTrouble("");
    try {
      await queue.flush();
      await ask("POST", `/api/judging/${episode.id}/submit`, { revision: verdict.now.revision });
      await VERDICTS.forgetWork(props.person.id).catch(() => undefined); // or a lost connection would bring it back
      props.onNext();
    } catch (error) {
      setTrouble((error as Error).message);
      setSubmitting(false);
    }
  };
  const obey = (asked: Command) => {
    if (asked.do === "next") return void next();
    if (asked.do === "succeed" && !verdict.judged(player.step)) return setTrouble("Success lies after the line: go to the moment at which it was done.");
    return run(asked, verdict, player, take, episode);
  };
  useKeys(command, obey, !submitting);

  const { success, step } = verdict.now;
  const moment: Mark[] = success && step !== null ? [{ id: "success", revision: 1, step, sign: 1, deleted: false }] : [];
  const judged = verdict.judged(player.step);
  useEffect(() => setTrouble(""), [judged]);
  useEffect(() => void (saved.waiting === 0 && setTrouble("")), [saved.waiting]); // all that was missing is saved now
  // An earlier answer is no answer to this request.
  const heard = judged ? episode.words.filter((said) => said.step >= episode.takes_over) : episode.words;
  return (
    <Frame title="Judge" me={props.person} status={<Saved state={saved} />} wide>
      <div class="bench" onMouseDown={keepFocus}>
        <div class={`stage ${judged ? "judged" : "context"}`}>
          <p class="phase">{judged ? "Judge this part" : "What led up to it"}</p>
          <Picture
            frames={frames}
            player={player}
            caption={`The solver's view at step ${player.step}`}
            pictured={episode.pictured}
            onScan={(share) => player.scan(scale.step(share))}
          />
          <Captions words={episode.words} heard={heard} step={player.step} actions={episode.actions} />
        </div>
        <div class="side">
          <section class="panel request" aria-label="What was asked">
            <h2>The setter asked</h2>
            <blockquote>{episode.request}</blockquote>
          </section>
          <Dialogue words={episode.words} step={player.step} stepsPerSecond={episode.steps_per_second} onGo={player.go} />
          <JudgeGuidelines />
          <JudgeKeys />
        </div>
        <div class="desk">
          <Timeline
            steps={episode.steps}
            stepsPerSecond={episode.steps_per_second}
            step={player.step}
            words={episode.words}
            marks={moment}
            selected={null}
            frozen={submitting}
            from={episode.takes_over}
            looks={{ sign: "✓", name: "success" }}
            onGo={player.go}
            onSelect={(mark) => player.go(mark.step)}
            onMove={(_, to) => take(verdict.move(to))}
          />
          <JudgeControls player={player} verdict={verdict} episode={episode} submitting={submitting} onCommand={obey} />
          <Trouble said={trouble} />
        </div>
      </div>
    </Frame>
  );
}

/** Send the verdict on one continuation, and the moment that is shown. */
function put(assignment: string, batch: SaidVerdict[], place: { position: number; active_sec: number }): Promise<unknown> {
  const { revision, success, step, left_out } = batch.reduce((last, said) => (said.revision > last.revision ? said : last));
  return ask("PUT", `/api/judging/${assignment}/verdict`, { revision, success, step, left_out: left_out ?? "", ...place });
}

/** Run the command of a key or button. */
function run(asked: Command, verdict: Verdict, player: ReturnType<typeof usePlayer>, take: (said: SaidVerdict | undefined) => void, episode: Continuation): void {
  switch (asked.do) {
    case "succeed":
      return take(verdict.succeed(player.step));
    case "fail":
      return take(verdict.fail());
    case "leave-out":
      return take(verdict.leaveOut(asked.reason));
    case "remove":
      return take(verdict.takeBack());
    case "undo":
      return take(verdict.undo());
    case "redo":
      return take(verdict.redo());
    case "nudge": {
      const moved = verdict.move((verdict.now.step ?? 0) + asked.by);
      if (moved?.step != null) player.go(moved.step);
      return take(moved);
    }
    case "take-over":
      return player.go(episode.takes_over);
    case "step":
      return player.go(player.step + asked.by);
    case "place":
      return player.go(asked.end ? Infinity : 0);
    case "toggle":
      return player.toggle();
    case "speed":
      return player.setSpeed(SPEEDS[asked.index] ?? 1);
    case "jump": {
      const steps = episode.words.map((said) => said.step);
      const next = asked.direction === 1 ? steps.find((step) => step > player.step) : steps.reverse().find((step) => step < player.step);
      return next === undefined ? undefined : player.go(next);
    }
    default:
      return undefined;
  }
}
