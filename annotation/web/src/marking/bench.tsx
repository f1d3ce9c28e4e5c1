// Marking: picture, timeline, dialogue, guidelines, marks.
import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { BenchFrame, Command as Button, Controls, Undo } from "../bench/frame";
import { task, type BenchProps, type Instructed, type TaskItem } from "../bench/task";
import { useBench, type Asked, type Bench } from "../bench/use_bench";
import { Captions, Dialogue } from "../episode/dialogue";
import { Picture } from "../episode/picture";
import { usePlayer, type Player } from "../episode/player";
import { stretchAt, stretches } from "../episode/requests";
import { Timeline } from "../episode/timeline";
import type { Mark, Spoken, Stretch } from "../episode/types";
import { count } from "../words";
import { Feedback } from "./feedback";
import { MarkGuidelines, MarkKeys, QuickKeys } from "./guidelines";
import { command, type Command } from "./keys";
import { Marks } from "./marks";
import { question, Seen, type Range } from "./seen";

export interface Episode extends TaskItem<Mark>, Spoken, Instructed {
  training: boolean; // known marks are shown after it is submitted
  seen: Range[]; // steps that were shown on earlier visits
  returned: string; // why the leader sent it back; "" otherwise
}

export const MARKING = task<Mark, Episode>({
  kind: "marking",
  title: "Mark episodes",
  done: "There is no episode for you to mark just now.",
  Bench: MarkBench,
});

/** Marking, and after an episode for practice the known marks. */
function MarkBench(props: BenchProps<Episode>) {
  const [practised, setPractised] = useState(false);
  if (practised) return <Feedback {...props} />;
  return <Marking {...props} onNext={props.work.episode.training ? () => setPractised(true) : props.onNext} />;
}

interface MarkingProps extends BenchProps<Episode> {
  title?: string;
  quick?: boolean; // clips play by themselves, and the last verdict submits
  before?: ComponentChildren;
}

const QUICK_SPEED = 2;

export function Marking(props: MarkingProps) {
  const { episode, frames } = props.work;
  const marks = useMemo(() => new Marks(episode.answers, episode.steps), [episode]);
  const seen = useMemo(() => new Seen(episode.seen, episode.steps), [episode]);
  const requests = useMemo(() => stretches(episode.words, episode.steps), [episode]);
  const [selected, setSelected] = useState<string | null>(null);
  const player = usePlayer(episode.steps, episode.steps_per_second, props.work.position, frames);
  const there = frames.has(player.step);
  useEffect(() => {
    // Playing may be faster than the screen: what lies between two pictures is seen all the same.
    for (let step = player.since; step <= player.step; step++) if (frames.has(step)) seen.add(step);
  }, [seen, player.since, player.step, there]);
  const bench: Bench<Command> & { take: (mark: Mark | undefined) => void } = useBench<Mark, Episode, Command>({
    ...props,
    task: MARKING,
    said: marks,
    player,
    words: episode.words.map((said) => said.step),
    read: command,
    run: (asked, take) => {
      if (props.quick && asked.do === "judge" && requests.length === 0) bench.submit(true); // nobody asked for anything
      return run(asked, { marks, requests, player, selected, setSelected, take });
    },
    onSaid: (mark) => setSelected(mark.deleted || mark.until != null ? null : mark.id),
    doubt: () => question(marks.kept.length, seen.share()),
    ending: (place) => ({ answers: marks.kept.length, ...place, seen: seen.ranges() }),
    also: () => ({ seen: seen.ranges() }),
  });
  useEffect(() => {
    if (!props.quick) return;
    player.setSpeed(QUICK_SPEED);
    if (!player.playing) player.toggle();
  }, [episode.id]);
  const [before] = useState(() => marks.verdicts().length); // of a clip that was sent back, or judged on an earlier visit
  const verdicts = marks.verdicts().length;
  const judged = props.quick === true && verdicts > before && verdicts >= requests.length;
  useEffect(() => {
    if (judged && !episode.submitted) bench.submit(true);
  }, [judged]);
  const shown = { steps: episode.steps, stepsPerSecond: episode.steps_per_second, step: player.step, words: episode.words, onGo: player.go };
  return (
    <BenchFrame
      bench={bench}
      person={props.person}
      title={props.title ?? MARKING.title}
      class={props.quick ? "quick" : undefined}
      desk={
        <>
          <Timeline
            {...shown}
            marks={marks.living()}
            verdicts={marks.verdicts()}
            selected={selected}
            frozen={bench.submitting}
            onSelect={(mark) => {
              setSelected(mark.id);
              player.go(mark.step);
            }}
            onMove={(mark, to) => bench.take(marks.move(mark.id, to))}
          />
          <MarkControls bench={bench} player={player} marks={marks} requests={requests} selected={selected} episode={episode} quick={props.quick} />
        </>
      }
    >
      {props.before}
      <div class="stage">
        <Picture
          frames={frames}
          player={player}
          caption={`The solver's view at step ${player.step}`}
          pictured={episode.pictured}
          onScan={(share) => player.scan(Math.floor(share * episode.steps))}
        />
        <Captions words={episode.words} step={player.step} actions={episode.actions} />
      </div>
      <div class="side">
        {props.quick ? <QuickKeys /> : <Dialogue {...shown} />}
        <MarkGuidelines project={episode} training={episode.training} returned={episode.returned} />
        {!props.quick && <MarkKeys />}
      </div>
    </BenchFrame>
  );
}

interface ControlsProps {
  bench: Bench<Command>;
  player: Player;
  marks: Marks;
  requests: Stretch[];
  selected: string | null;
  episode: Episode;
  quick?: boolean;
}

function MarkControls({ bench, player, marks, requests, selected, episode, quick }: ControlsProps) {
  const request = stretchAt(requests, player.step);
  const verdict = marks.verdicts().find((each) => each.step === request?.begin);
  const judging = (sign: 1 | -1) => ({
    type: "button" as const,
    class: `mark-button ${sign > 0 ? "progress" : "regress"}`,
    "aria-pressed": verdict?.sign === sign,
    disabled: bench.submitting || !request,
    onClick: () => bench.obey({ do: "judge", sign }),
  });
  const chosen = marks.get(selected) ?? marks.at(player.step);
  return (
    <Controls
      bench={bench}
      player={player}
      steps={episode.steps}
      stepsPerSecond={episode.steps_per_second}
      answer={
        <div class="group" role="group" aria-label="Mark">
          <button type="button" class="mark-button progress" disabled={bench.submitting} onClick={() => bench.obey({ do: "put", sign: 1 })}>
            + progress
          </button>
          <button type="button" class="mark-button regress" disabled={bench.submitting} onClick={() => bench.obey({ do: "put", sign: -1 })}>
            − regress
          </button>
          <button {...judging(1)} title="The request of this moment was done (S)">
            ✓ done
          </button>
          <button {...judging(-1)} title="The request of this moment was not done (F)">
            ✕ not done
          </button>
        </div>
      }
      after={
        <div class="group" role="group" aria-label="Marks">
          <Button bench={bench} asked={{ do: "jump", to: "mark", direction: -1 }} sign="⇤" name="Mark before ([)" disabled={!marks.beyond(player.step, -1)} />
          <Button bench={bench} asked={{ do: "jump", to: "mark", direction: 1 }} sign="⇥" name="Mark after (])" disabled={!marks.beyond(player.step, 1)} />
          <Button bench={bench} asked={{ do: "nudge", by: -1 }} sign="←" name="Move the mark one step back (Alt ←)" disabled={!chosen} />
          <Button bench={bench} asked={{ do: "nudge", by: 1 }} sign="→" name="Move the mark one step on (Alt →)" disabled={!chosen} />
          <Button bench={bench} asked={{ do: "remove" }} sign="✕" name="Delete the mark (Delete)" disabled={!chosen} />
          <Undo bench={bench} />
        </div>
      }
      said={<span class="count">{counted(marks)}</span>}
      submit={quick ? ["Next clip", "Saving…"] : ["Submit episode", "Submitting…"]}
    />
  );
}

function counted(marks: Marks): string {
  const verdicts = marks.verdicts().length;
  return count(marks.living().length, "mark") + (verdicts ? `, ${count(verdicts, "verdict")}` : "");
}

interface Context {
  marks: Marks;
  requests: Stretch[];
  player: Player;
  selected: string | null;
  setSelected: (id: string | null) => void;
  take: (mark: Mark | undefined) => void;
}

/** Run a command of marking; false for another one. */
function run(asked: Command | Asked, { marks, requests, player, selected, setSelected, take }: Context): boolean {
  const chosen = marks.get(selected) ?? marks.at(player.step);
  const request = stretchAt(requests, player.step);
  if (asked.do === "put") take(marks.put(player.step, asked.sign));
  else if (asked.do === "judge") take(request && marks.judge(request, asked.sign));
  else if (asked.do === "remove") take(chosen && marks.remove(chosen.id));
  else if (asked.do === "nudge") {
    const moved = chosen && marks.move(chosen.id, chosen.step + asked.by);
    if (moved) player.go(moved.step);
    take(moved);
  } else if (asked.do === "jump" && asked.to === "mark") {
    const next = marks.beyond(player.step, asked.direction);
    if (next) player.go(next.step);
    if (next) setSelected(next.id);
  } else return false;
  return true;
}
