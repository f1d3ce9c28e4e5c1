// One episode: picture, dialogue, every rater's marks, and a reward model's utility and reward at every step.
import { useEffect, useLayoutEffect, useState } from "preact/hooks";
import { ask, type Me } from "../api";
import { Frame, Trouble } from "../frame";
import { Captions, Dialogue } from "../episode/dialogue";
import type { Frames } from "../episode/frames";
import { command } from "../marking/keys";
import { Picture } from "../episode/picture";
import { clock, SPEEDS, usePlayer, type Player } from "../episode/player";
import { steer } from "../episode/steer";
import { keepFocus, useKeys } from "../episode/press";
import { About } from "./about";
import { open, type Overview, type EpisodeView } from "./data";
import { TraceRows, useTrace } from "./trace";
import { MarksRow, Tracks, WordsRow } from "./tracks";

interface Props {
  person: Me;
  overview: Overview;
  project: string;
  episode: string;
  step: number;
}

export function Viewer(props: Props) {
  const [loaded, setLoaded] = useState<{ shown: EpisodeView; frames: Frames } | null>(null);
  const [trouble, setTrouble] = useState("");
  const load = () =>
    open(props.project, props.episode)
      .then(setLoaded)
      .catch((error: Error) => setTrouble(error.message));
  useEffect(() => void load(), [props.project, props.episode]);

  if (loaded) return <Stage {...props} shown={loaded.shown} frames={loaded.frames} onChange={load} />;
  return (
    <Frame title="Look at episodes" me={props.person}>
      <Trouble said={trouble} />
      {trouble ? <a href="#">All episodes</a> : <p role="status">Loading the episode…</p>}
    </Frame>
  );
}

function Stage(props: Props & { shown: EpisodeView; frames: Frames; onChange: () => void }) {
  const { shown, frames } = props;
  const player = usePlayer(shown.steps, shown.steps_per_second, props.step, frames);
  const [model, setModel] = useState(() => localStorage.getItem(MODEL) ?? "");
  const chosen = props.overview.models.includes(model) ? model : "";
  const trace = useTrace(props.project, props.episode, chosen);
  const [trouble, setTrouble] = useState("");

  useLayoutEffect(() => player.go(props.step), [props.step]); // before anybody can go elsewhere
  const moments = shown.raters.flatMap((row) => row.marks.map((mark) => mark.step)).sort((a, b) => a - b);
  useKeys(command, (asked) => steer(asked, player, { mark: moments, words: shown.words.map((said) => said.step) }), true);

  const choose = (name: string) => {
    localStorage.setItem(MODEL, name);
    setModel(name);
  };
  const gold = async (rater: string | null, purpose: string) => {
    const place = `/api/gold/${shown.id}`;
    await (rater === null ? ask("DELETE", place) : ask("PUT", place, { rater, purpose })).then(() => setTrouble(""), (error: Error) => setTrouble(error.message));
    props.onChange();
  };
  return (
    <Frame title="Look at episodes" me={props.person} wide>
      <div class="bench viewer" onMouseDown={keepFocus}>
        <div class="stage">
          <Picture frames={frames} player={player} caption={`The solver's view at step ${player.step}`} pictured={shown.pictured} onScan={(share) => player.scan(Math.floor(share * shown.steps))} />
          <Captions words={shown.words} step={player.step} actions={shown.actions} />
        </div>
        <div class="side">
          <Dialogue words={shown.words} step={player.step} stepsPerSecond={shown.steps_per_second} onGo={player.go} />
          <About shown={shown} study={props.overview.study} onGold={gold} onGo={player.go} />
        </div>
        <div class="desk">
          <Trouble said={trouble} />
          <div class="controls">
            <a class="back" href="#">
              ‹ All episodes
            </a>
            <Buttons player={player} shown={shown} />
            <label class="inline">
              reward model{" "}
              <select value={chosen} onChange={(event) => choose(event.currentTarget.value)}>
                <option value="">{props.overview.models.length ? "none" : "none found"}</option>
                {props.overview.models.map((name) => (
                  <option key={name}>{name}</option>
                ))}
              </select>
            </label>
          </div>
          <Tracks steps={shown.steps} stepsPerSecond={shown.steps_per_second} player={player}>
            <WordsRow steps={shown.steps} words={shown.words} />
            {shown.raters.map((row) => (
              <MarksRow key={row.rater} steps={shown.steps} stepsPerSecond={shown.steps_per_second} label={row.rater} marks={row.marks} onGo={player.go} />
            ))}
            {shown.raters.length === 0 && <p class="hint empty">Nobody has marked this episode yet.</p>}
            {chosen && <TraceRows trace={trace} step={player.step} />}
          </Tracks>
        </div>
      </div>
    </Frame>
  );
}

const MODEL = "rlhf-look-model";

function Buttons(props: { player: Player; shown: EpisodeView }) {
  const { player, shown } = props;
  return (
    <div class="group" role="group" aria-label="Play">
      <button type="button" class="tool" aria-label="One step back (←)" title="One step back (←)" onClick={() => player.go(player.step - 1)}>
        ‹
      </button>
      <button type="button" class="tool" aria-label={player.playing ? "Stop (space)" : "Play (space)"} title={player.playing ? "Stop (space)" : "Play (space)"} onClick={player.toggle}>
        {player.playing ? "❚❚" : "▶"}
      </button>
      <button type="button" class="tool" aria-label="One step on (→)" title="One step on (→)" onClick={() => player.go(player.step + 1)}>
        ›
      </button>
      <select aria-label="Speed" value={String(player.speed)} onChange={(event) => player.setSpeed(Number(event.currentTarget.value))}>
        {SPEEDS.map((speed) => (
          <option key={speed} value={String(speed)}>
            {speed}×
          </option>
        ))}
      </select>
      <output class="clock">
        {clock(player.step, shown.steps_per_second)} / {clock(shown.steps, shown.steps_per_second)}, step {player.step}
      </output>
    </div>
  );
}
