// The bench on which an episode is marked: picture, timeline, dialogue, guidelines, marks.
import { useCallback, useEffect, useMemo, useState } from "preact/hooks";
import { ask, type Me } from "../api";
import { Frame, Trouble } from "../frame";
import { Controls } from "./controls";
import { Captions, Dialogue } from "../episode/dialogue";
import { Guidelines, Keys } from "./guidelines";
import { command, type Command } from "../episode/keys";
import { MARKS, type Episode } from "./load";
import type { Work } from "../saving/work";
import { Marks } from "./marks";
import type { Mark } from "../episode/types";
import { Picture } from "../episode/picture";
import { SPEEDS, usePlayer } from "../episode/player";
import { Timeline } from "../episode/timeline";
import { keepFocus, useKeys } from "../episode/press";
import { Question } from "../episode/question";
import { Saved, useEdits, type Place } from "../saving/edits";
import { question, Seen, type Range } from "./seen";

export function Bench(props: { person: Me; work: Work<Episode>; onNext: () => void }) {
  const { episode, frames } = props.work;
  const marks = useMemo(() => new Marks(episode.marks, episode.steps), [episode]);
  const seen = useMemo(() => new Seen(episode.seen ?? [], episode.steps), [episode]); // kept by an older page: without
  const [selected, setSelected] = useState<string | null>(null);
  const [submitting, setSubmitting] = useState(false);
  const [asking, setAsking] = useState("");
  const [trouble, setTrouble] = useState("");
  const player = usePlayer(episode.steps, episode.steps_per_second, props.work.position, frames);
  const there = frames.has(player.step);
  useEffect(() => {
    // Playing may be faster than the screen: what lies between two pictures is seen all the same.
    for (let step = player.since; step <= player.step; step++) if (frames.has(step)) seen.add(step);
  }, [seen, player.since, player.step, there]);
  const { queue, saved, changed, place } = useEdits<Mark, Episode>({
    person: props.person,
    work: props.work,
    store: MARKS,
    step: player.step,
    put: (assignment, batch, place) => put(assignment, batch, assignment === episode.id ? { ...place, seen: seen.ranges() } : {}),
    learn: (mark) => marks.learn(mark),
    now: () => ({ marks: marks.living(), seen: seen.ranges() }),
  });

  const take = useCallback(
    (mark: Mark | undefined) => {
      if (!mark) return;
      setSelected(mark.deleted ? null : mark.id);
      changed();
      void queue.add(episode.id, mark);
    },
    [queue, episode.id],
  );
  const obey = (asked: Command) => run(asked, { marks, player, selected, take, setSelected, words: episode.words.map((said) => said.step) });
  useKeys(command, obey, !submitting && !asking);

  const submit = async (sure: boolean) => {
    const doubt = sure ? "" : question(marks.living().length, seen.share());
    setAsking(doubt);
    if (doubt) return;
    setSubmitting(true);
    setTrouble("");
    try {
      await queue.flush();
      await ask("POST", `/api/marking/${episode.id}/submit`, { marks: marks.living().length, ...place(), seen: seen.ranges() });
      await MARKS.forgetWork(props.person.id).catch(() => undefined); // or a lost connection would bring it back
      props.onNext();
    } catch (error) {
      setTrouble((error as Error).message);
      setSubmitting(false);
    }
  };

  useEffect(() => void (saved.waiting === 0 && setTrouble("")), [saved.waiting]); // all that was missing is saved now

  const living = marks.living();
  return (
    <Frame title="Mark episodes" me={props.person} status={<Saved state={saved} />} wide>
      <div class="bench" onMouseDown={keepFocus}>
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
          <Dialogue words={episode.words} step={player.step} stepsPerSecond={episode.steps_per_second} onGo={player.go} />
          <Guidelines title={episode.title} instructions={episode.instructions} training={episode.training} returned={episode.returned} />
          <Keys />
        </div>
        <div class="desk">
          <Timeline
            steps={episode.steps}
            stepsPerSecond={episode.steps_per_second}
            step={player.step}
            words={episode.words}
            marks={living}
            selected={selected}
            frozen={submitting}
            onGo={player.go}
            onSelect={(mark) => {
              setSelected(mark.id);
              player.go(mark.step);
            }}
            onMove={(mark, step) => take(marks.move(mark.id, step))}
          />
          <Controls player={player} marks={marks} selected={selected} episode={episode} submitting={submitting} onCommand={obey} onSubmit={() => void submit(false)} />
          {asking && <Question text={asking} onSubmit={() => void submit(true)} onBack={() => setAsking("")} />}
          <Trouble said={trouble} />
        </div>
      </div>
    </Frame>
  );
}

/** Send marks of one episode, and, of the one that is shown, where the rater is and what they have seen. */
function put(assignment: string, batch: Mark[], place: Partial<Place> & { seen?: Range[] }): Promise<unknown> {
  const marks = batch.map(({ id, revision, step, sign, deleted }) => ({ id, revision, step, sign, deleted }));
  return ask("PUT", `/api/marking/${assignment}/marks`, { marks, ...place });
}

interface CommandContext {
  marks: Marks;
  player: ReturnType<typeof usePlayer>;
  selected: string | null;
  take: (mark: Mark | undefined) => void;
  setSelected: (id: string | null) => void;
  words: number[];
}

/** Carry out the command of a key or button. */
function run(asked: Command, { marks, player, selected, take, setSelected, words }: CommandContext): void {
  const chosen = marks.get(selected) ?? marks.at(player.step);
  switch (asked.do) {
    case "put":
      return take(marks.put(player.step, asked.sign));
    case "step":
      return player.go(player.step + asked.by);
    case "place":
      return player.go(asked.end ? Infinity : 0);
    case "toggle":
      return player.toggle();
    case "speed":
      return player.setSpeed(SPEEDS[asked.index] ?? 1);
    case "remove":
      return take(chosen && marks.remove(chosen.id));
    case "undo":
      return take(marks.undo());
    case "redo":
      return take(marks.redo());
    case "nudge": {
      const moved = chosen && marks.move(chosen.id, chosen.step + asked.by);
      if (moved) player.go(moved.step);
      return take(moved);
    }
    case "jump": {
      if (asked.to === "words") {
        const steps = asked.direction === 1 ? words : [...words].reverse();
        const next = steps.find((step) => (asked.direction === 1 ? step > player.step : step < player.step));
        if (next !== undefined) player.go(next);
        return undefined;
      }
      const next = marks.beyond(player.step, asked.direction);
      if (next) player.go(next.step);
      if (next) setSelected(next.id);
      return undefined;
    }
  }
}
