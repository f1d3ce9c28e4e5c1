// After a training episode: the rater's marks beside the known ones.
import { useEffect, useState } from "preact/hooks";
import { ask } from "../api";
import { routesOf, type BenchProps } from "../bench/task";
import { Frame, Trouble } from "../frame";
import { MarksRow, Tracks, WordsRow } from "../viewer/tracks";
import { Captions, Dialogue } from "../episode/dialogue";
import type { Episode } from "./bench";
import { MarkGuidelines } from "./guidelines";
import { command } from "./keys";
import { Picture } from "../episode/picture";
import { clock, usePlayer } from "../episode/player";
import { steer } from "../episode/steer";
import { useKeys } from "../episode/press";

interface Found {
  tolerance: number;
  matched: { step: number; known: number; sign: number }[];
  missed: { step: number; sign: number }[];
  extra: { step: number; sign: number }[];
}

export function Feedback(props: BenchProps<Episode>) {
  const { episode, frames } = props.work;
  const [found, setFound] = useState<Found | null>(null);
  const [trouble, setTrouble] = useState("");
  const player = usePlayer(episode.steps, episode.steps_per_second, 0, frames);
  const marks = found ? [...known(found), ...given(found)].map((mark) => mark.step).sort((a, b) => a - b) : [];
  useKeys(command, (asked) => steer(asked, player, { mark: marks, words: episode.words.map((said) => said.step) }), true);
  useEffect(() => {
    ask<Found>("GET", `${routesOf("marking")}/${episode.id}/feedback`)
      .then(setFound)
      .catch((error: Error) => setTrouble(error.message));
  }, [episode.id]);

  return (
    <Frame title="Your marks and the known ones" me={props.person} wide>
      <div class="bench feedback">
        <div class="stage">
          <Picture frames={frames} player={player} caption={`The solver's view at step ${player.step}`} pictured={episode.pictured} onScan={(share) => player.scan(Math.floor(share * episode.steps))} />
          <Captions words={episode.words} step={player.step} actions={episode.actions} />
        </div>
        <div class="side">
          <Dialogue words={episode.words} step={player.step} stepsPerSecond={episode.steps_per_second} onGo={player.go} />
          <MarkGuidelines />
        </div>
        <div class="desk">
          <Trouble said={trouble} />
          {found && (
            <>
              <p role="status" class="feedback-said">
                {said(found, episode.steps_per_second)}
              </p>
              <Tracks steps={episode.steps} stepsPerSecond={episode.steps_per_second} player={player}>
                <WordsRow steps={episode.steps} words={episode.words} />
                <MarksRow steps={episode.steps} stepsPerSecond={episode.steps_per_second} label="known marks" marks={known(found)} onGo={player.go} />
                <MarksRow steps={episode.steps} stepsPerSecond={episode.steps_per_second} label="your marks" marks={given(found)} onGo={player.go} />
              </Tracks>
            </>
          )}
          <div class="controls">
            <button type="button" class="tool" aria-label={player.playing ? "Stop" : "Play"} onClick={player.toggle}>
              {player.playing ? "❚❚" : "▶"}
            </button>
            <output class="clock">
              {clock(player.step, episode.steps_per_second)} / {clock(episode.steps, episode.steps_per_second)}
            </output>
            <span class="legend">
              <span class="small-mark progress sample">+</span> matched
              <span class="small-mark progress missed sample">+</span> missed
              <span class="small-mark progress extra sample">+</span> only yours
            </span>
            <div class="group end">
              <button type="button" class="primary" onClick={props.onNext}>
                Next episode
              </button>
            </div>
          </div>
        </div>
      </div>
    </Frame>
  );
}

function known(found: Found) {
  return [...found.matched.map((pair) => ({ step: pair.known, sign: pair.sign })), ...found.missed.map((mark) => ({ ...mark, kind: "missed" }))];
}

function given(found: Found) {
  return [...found.matched.map((pair) => ({ step: pair.step, sign: pair.sign })), ...found.extra.map((mark) => ({ ...mark, kind: "extra" }))];
}

function said(found: Found, stepsPerSecond: number): string {
  const { matched, missed, extra } = found;
  const all = matched.length + missed.length;
  const seconds = (found.tolerance / stepsPerSecond).toFixed(1);
  return `This was for practice. You found ${matched.length} of ${all} known ${all === 1 ? "mark" : "marks"} (within ${seconds} s and with the same sign), missed ${missed.length}, and gave ${extra.length} that ${extra.length === 1 ? "is" : "are"} not among them.`;
}
