// A button for every command.
import type { Command } from "../episode/keys";
import type { Episode } from "./load";
import type { Marks } from "./marks";
import type { Player } from "../episode/player";
import { Playing, Tool } from "../episode/transport";
import { count } from "../words";

interface Props {
  player: Player;
  marks: Marks;
  selected: string | null;
  episode: Episode;
  submitting: boolean;
  onCommand: (asked: Command) => void;
  onSubmit: () => void;
}

export function Controls(props: Props) {
  const { player, marks, episode } = props;
  const chosen = marks.get(props.selected) ?? marks.at(player.step);
  const tool = (asked: Command, sign: string, name: string, disabled = false) => (
    <Tool sign={sign} name={name} disabled={disabled || props.submitting} onPress={() => props.onCommand(asked)} />
  );
  return (
    <div class="controls">
      <div class="group" role="group" aria-label="Mark">
        <button type="button" class="mark-button progress" disabled={props.submitting} onClick={() => props.onCommand({ do: "put", sign: 1 })}>
          + progress
        </button>
        <button type="button" class="mark-button regress" disabled={props.submitting} onClick={() => props.onCommand({ do: "put", sign: -1 })}>
          − regress
        </button>
      </div>
      <Playing player={player} steps={episode.steps} stepsPerSecond={episode.steps_per_second} disabled={props.submitting} onCommand={props.onCommand} />
      <div class="group" role="group" aria-label="Marks">
        {tool({ do: "jump", to: "mark", direction: -1 }, "⇤", "Mark before ([)", !marks.beyond(player.step, -1))}
        {tool({ do: "jump", to: "mark", direction: 1 }, "⇥", "Mark after (])", !marks.beyond(player.step, 1))}
        {tool({ do: "nudge", by: -1 }, "←", "Move the mark one step back (Alt ←)", !chosen)}
        {tool({ do: "nudge", by: 1 }, "→", "Move the mark one step on (Alt →)", !chosen)}
        {tool({ do: "remove" }, "✕", "Delete the mark (Delete)", !chosen)}
        {tool({ do: "undo" }, "↶", "Undo (Ctrl Z)", !marks.canUndo)}
        {tool({ do: "redo" }, "↷", "Redo (Ctrl Y)", !marks.canRedo)}
      </div>
      <div class="group end">
        <span class="count">{count(marks.living().length, "mark")}</span>
        <button type="button" class="primary" disabled={props.submitting} onClick={props.onSubmit}>
          {props.submitting ? "Submitting…" : "Submit episode"}
        </button>
      </div>
    </div>
  );
}
