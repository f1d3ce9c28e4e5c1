// Buttons that move through an episode.
import type { ComponentChildren } from "preact";
import type { Shared } from "./keys";
import { clock, SPEEDS, type Player } from "./player";

export function Tool(props: { sign: string; name: string; disabled: boolean; onPress: () => void }) {
  return (
    <button type="button" class="tool" title={props.name} aria-label={props.name} disabled={props.disabled} onClick={props.onPress}>
      {props.sign}
    </button>
  );
}

interface PlayingProps {
  player: Player;
  steps: number;
  stepsPerSecond: number;
  disabled: boolean;
  onCommand: (asked: Shared) => void;
  silent?: boolean; // nobody speaks: there are no utterances to jump to
  children?: ComponentChildren; // further buttons
}

/** Buttons to play, step and jump. */
export function Playing(props: PlayingProps) {
  const { player } = props;
  const tool = (asked: Shared, sign: string, name: string) => <Tool sign={sign} name={name} disabled={props.disabled} onPress={() => props.onCommand(asked)} />;
  return (
    <div class="group" role="group" aria-label="Play">
      {!props.silent && tool({ do: "jump", to: "words", direction: -1 }, "«", "Utterance before (,)")}
      {tool({ do: "step", by: -1 }, "‹", "One step back (←)")}
      {tool({ do: "toggle" }, player.playing ? "❚❚" : "▶", player.playing ? "Stop (space)" : "Play (space)")}
      {tool({ do: "step", by: 1 }, "›", "One step on (→)")}
      {!props.silent && tool({ do: "jump", to: "words", direction: 1 }, "»", "Utterance after (.)")}
      {props.children}
      <select aria-label="Speed" value={String(player.speed)} onChange={(event) => player.setSpeed(Number(event.currentTarget.value))}>
        {SPEEDS.map((speed) => (
          <option key={speed} value={String(speed)}>
            {speed}×
          </option>
        ))}
      </select>
      <output class="clock">
        {clock(player.step, props.stepsPerSecond)} / {clock(props.steps, props.stepsPerSecond)}
      </output>
    </div>
  );
}
