// Marking: picture, timeline, dialogue, guidelines, marks.
import { useEffect, useMemo, useState } from "preact/hooks";
import { BenchFrame, Command as Button, Controls, Undo } from "../bench/frame";
import { task, type BenchProps, type Instructed, type TaskItem } from "../bench/task";
import { useBench, type Asked, type Bench } from "../bench/use_bench";
import { Captions, Dialogue } from "../episode/dialogue";
import { Picture } from "../episode/picture";
import { usePlayer, type Player } from "../episode/player";
import { Timeline } from "../episode/timeline";
import type { Mark, Spoken } from "../episode/types";
import { count } from "../words";
import { Feedback } from "./feedback";
import { MarkGuidelines, MarkKeys } from "./guidelines";
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

function Marking(props: BenchProps<Episode>) {
  const { episode, frames } = props.work;
  const marks = useMemo(() => new Marks(episode.answers, episode.steps), [episode]);
  const seen = useMemo(() => new Seen(episode.seen, episode.steps), [episode]);
  const [selected, setSelected] = useState<string | null>(null);
  const player = usePlayer(episode.steps, episode.steps_per_second, props.work.position, frames);
  const there = frames.has(player.step);
  useEffect(() => {
    // Playing may be faster than the screen: what lies between two pictures is seen all the same.
    for (let step = player.since; step <= player.step; step++) if (frames.has(step)) seen.add(step);
  }, [seen, player.since, player.step, there]);
  const bench = useBench<Mark, Episode, Command>({
    ...props,
    task: MARKING,
    said: marks,
    player,
    words: episode.words.map((said) => said.step),
    read: command,
    run: (asked, take) => run(asked, { marks, player, selected, setSelected, take }),
    onSaid: (mark) => setSelected(mark.deleted ? null : mark.id),
    doubt: () => question(marks.living().length, seen.share()),
    ending: (place) => ({ answers: marks.living().length, ...place, seen: seen.ranges() }),
    also: () => ({ seen: seen.ranges() }),
  });
  const shown = { steps: episode.steps, stepsPerSecond: episode.steps_per_second, step: player.step, words: episode.words, onGo: player.go };
  return (
    <BenchFrame
      bench={bench}
      person={props.person}
      title={MARKING.title}
      desk={
        <>
          <Timeline
            {...shown}
            marks={marks.living()}
            selected={selected}
            frozen={bench.submitting}
            onSelect={(mark) => {
              setSelected(mark.id);
              player.go(mark.step);
            }}
            onMove={(mark, to) => bench.take(marks.move(mark.id, to))}
          />
          <MarkControls bench={bench} player={player} marks={marks} selected={selected} episode={episode} />
        </>
      }
    >
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
        <Dialogue {...shown} />
        <MarkGuidelines project={episode} training={episode.training} returned={episode.returned} />
        <MarkKeys />
      </div>
    </BenchFrame>
  );
}

interface ControlsProps {
  bench: Bench<Command>;
  player: Player;
  marks: Marks;
  selected: string | null;
  episode: Episode;
}

function MarkControls({ bench, player, marks, selected, episode }: ControlsProps) {
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
      said={<span class="count">{count(marks.living().length, "mark")}</span>}
      submit={["Submit episode", "Submitting…"]}
    />
  );
}

interface Context {
  marks: Marks;
  player: Player;
  selected: string | null;
  setSelected: (id: string | null) => void;
  take: (mark: Mark | undefined) => void;
}

/** Run a command of marking; false for another one. */
function run(asked: Command | Asked, { marks, player, selected, setSelected, take }: Context): boolean {
  const chosen = marks.get(selected) ?? marks.at(player.step);
  if (asked.do === "put") take(marks.put(player.step, asked.sign));
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
