// Judging: the request, the picture, the timeline with the judged part after a line, the verdict.
import { useEffect, useMemo } from "preact/hooks";
import { BenchFrame, Command as Button, Controls, Undo } from "../bench/frame";
import { task, type BenchProps, type TaskItem } from "../bench/task";
import { useBench, type Asked, type Bench } from "../bench/use_bench";
import { Captions, Dialogue } from "../episode/dialogue";
import { pressed, type Shared } from "../episode/keys";
import { Picture } from "../episode/picture";
import { clock, usePlayer, type Player } from "../episode/player";
import { Scale } from "../episode/scale";
import { Timeline } from "../episode/timeline";
import type { Mark, Spoken } from "../episode/types";
import type { Press } from "../keyboard";
import { JudgeGuidelines, JudgeKeys } from "./guidelines";
import { Verdict, type SaidVerdict } from "./verdict";

export interface Continuation extends TaskItem<SaidVerdict>, Spoken {
  takes_over: number; // the first step that is judged
  request_step: number;
  request: string;
}

export const JUDGING = task<SaidVerdict, Continuation>({
  kind: "judging",
  title: "Judge",
  done: "There is nothing for you to judge just now.",
  Bench: JudgeBench,
});

type Command = Shared | { do: "succeed" | "fail" | "next" | "take-over" } | { do: "leave-out"; reason: "no request" | "cannot tell" };

const KEYS: Record<string, Command> = {
  s: { do: "succeed" },
  y: { do: "succeed" },
  "+": { do: "succeed" },
  f: { do: "fail" },
  n: { do: "fail" },
  "-": { do: "fail" },
  x: { do: "leave-out", reason: "no request" },
  u: { do: "leave-out", reason: "cannot tell" },
  t: { do: "take-over" },
  "[": { do: "take-over" },
  Enter: { do: "next" },
};

/** The command of a key press; undefined for other keys. */
export const command = (press: Press): Command | undefined => pressed<Command>(press, KEYS);

function JudgeBench(props: BenchProps<Continuation>) {
  const { episode, frames } = props.work;
  const verdict = useMemo(() => new Verdict(episode.answers[0] ?? { id: episode.id, revision: 0, success: null, step: null, left_out: "" }, episode.takes_over, episode.steps), [episode]);
  const scale = useMemo(() => new Scale(episode.steps, episode.takes_over), [episode]);
  const player = usePlayer(episode.steps, episode.steps_per_second, props.work.position, frames);
  const bench = useBench<SaidVerdict, Continuation, Command>({
    ...props,
    task: JUDGING,
    said: verdict,
    player,
    words: episode.words.map((said) => said.step),
    read: command,
    run: (asked, take, say) => run(asked, verdict, player, take, say),
    lacks: () => (verdict.given ? "" : "Give a verdict first: S, F, X or U."),
    ending: () => ({ revision: verdict.now.revision }),
  });

  const { success, step } = verdict.now;
  const moment: Mark[] = success && step !== null ? [{ id: "success", revision: 1, step, sign: 1, deleted: false }] : [];
  const judged = verdict.judged(player.step);
  useEffect(() => bench.say(""), [judged]);
  // An earlier answer is no answer to this request.
  const heard = judged ? episode.words.filter((said) => said.step >= episode.takes_over) : episode.words;
  const shown = { steps: episode.steps, stepsPerSecond: episode.steps_per_second, step: player.step, words: episode.words, onGo: player.go };
  return (
    <BenchFrame
      bench={bench}
      person={props.person}
      title={JUDGING.title}
      desk={
        <>
          <Timeline
            {...shown}
            marks={moment}
            selected={null}
            frozen={bench.submitting}
            from={episode.takes_over}
            looks={{ sign: "✓", name: "success" }}
            onSelect={(mark) => player.go(mark.step)}
            onMove={(_, to) => bench.take(verdict.move(to))}
          />
          <JudgeControls bench={bench} player={player} verdict={verdict} episode={episode} />
        </>
      }
    >
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
        <Dialogue {...shown} />
        <JudgeGuidelines />
        <JudgeKeys />
      </div>
    </BenchFrame>
  );
}

function JudgeControls({ bench, player, verdict, episode }: { bench: Bench<Command>; player: Player; verdict: Verdict; episode: Continuation }) {
  const { success, left_out } = verdict.now;
  return (
    <Controls
      bench={bench}
      player={player}
      steps={episode.steps}
      stepsPerSecond={episode.steps_per_second}
      answer={
        <div class="group" role="group" aria-label="Verdict">
          <button
            type="button"
            class="mark-button progress"
            aria-pressed={success === true}
            disabled={bench.submitting || !verdict.judged(player.step)}
            onClick={() => bench.obey({ do: "succeed" })}
          >
            ✓ succeeded here
          </button>
          <button type="button" class="mark-button regress" aria-pressed={success === false} disabled={bench.submitting} onClick={() => bench.obey({ do: "fail" })}>
            ✕ failed
          </button>
          {(["no request", "cannot tell"] as const).map((reason) => (
            <button key={reason} type="button" aria-pressed={left_out === reason} disabled={bench.submitting} onClick={() => bench.obey({ do: "leave-out", reason })}>
              {reason}
            </button>
          ))}
          <Undo bench={bench} />
        </div>
      }
      more={<Button bench={bench} asked={{ do: "take-over" }} sign="⇤" name="To where the judged part begins (T)" />}
      said={
        <output class="verdict-said">
          <Said verdict={verdict} stepsPerSecond={episode.steps_per_second} />
        </output>
      }
      ready={verdict.given}
    />
  );
}

function Said(props: { verdict: Verdict; stepsPerSecond: number }) {
  const { success, step, left_out } = props.verdict.now;
  if (left_out) return <strong>{left_out === "no request" ? "No request" : "Cannot tell"}</strong>;
  if (success === null) return <>Did it succeed?</>;
  if (step === null) return <strong class="bad">✕ Failed</strong>;
  return (
    <span>
      <strong class="good">✓ Succeeded</strong> at {clock(step, props.stepsPerSecond)}
    </span>
  );
}

/** Run a command of judging; false for another one. */
function run(asked: Command | Asked, verdict: Verdict, player: Player, take: (said: SaidVerdict | undefined) => void, say: (trouble: string) => void): boolean {
  if (asked.do === "succeed") {
    if (verdict.judged(player.step)) take(verdict.succeed(player.step));
    else say("Success lies after the line: go to the moment at which it was done.");
  } else if (asked.do === "fail") take(verdict.fail());
  else if (asked.do === "leave-out") take(verdict.leaveOut(asked.reason));
  else if (asked.do === "remove") take(verdict.takeBack());
  else if (asked.do === "take-over") player.go(verdict.from);
  else if (asked.do === "nudge") {
    const moved = verdict.move((verdict.now.step ?? 0) + asked.by);
    if (moved?.step != null) player.go(moved.step);
    take(moved);
  } else return false;
  return true;
}
