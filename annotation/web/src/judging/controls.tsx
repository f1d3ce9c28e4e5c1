// Buttons for the verdict, and for moving through the episode.
import { Playing, Tool } from "../episode/transport";
import { clock, type Player } from "../episode/player";
import type { Command } from "./keys";
import type { Continuation } from "./load";
import type { Verdict } from "./verdict";

interface Props {
  player: Player;
  verdict: Verdict;
  episode: Continuation;
  submitting: boolean;
  onCommand: (asked: Command) => void;
}

export function JudgeControls(props: Props) {
  const { player, verdict, episode, submitting } = props;
  const { success, left_out } = verdict.now;
  const here = verdict.judged(player.step);
  const tool = (asked: Command, sign: string, name: string, disabled: boolean) => (
    <Tool sign={sign} name={name} disabled={disabled || submitting} onPress={() => props.onCommand(asked)} />
  );
  return (
    <div class="controls">
      <div class="group" role="group" aria-label="Verdict">
        <button type="button" class="mark-button progress" aria-pressed={success === true} disabled={submitting || !here} onClick={() => props.onCommand({ do: "succeed" })}>
          ✓ succeeded here
        </button>
        <button type="button" class="mark-button regress" aria-pressed={success === false} disabled={submitting} onClick={() => props.onCommand({ do: "fail" })}>
          ✕ failed
        </button>
        {(["no request", "cannot tell"] as const).map((reason) => (
          <button key={reason} type="button" aria-pressed={left_out === reason} disabled={submitting} onClick={() => props.onCommand({ do: "leave-out", reason })}>
            {reason}
          </button>
        ))}
        {tool({ do: "undo" }, "↶", "Undo (Ctrl Z)", !verdict.canUndo)}
        {tool({ do: "redo" }, "↷", "Redo (Ctrl Y)", !verdict.canRedo)}
      </div>
      <Playing player={player} steps={episode.steps} stepsPerSecond={episode.steps_per_second} disabled={submitting} onCommand={props.onCommand}>
        {tool({ do: "take-over" }, "⇤", "To where the judged part begins (T)", false)}
      </Playing>
      <div class="group end">
        <output class="verdict-said">
          <Said verdict={verdict} stepsPerSecond={episode.steps_per_second} />
        </output>
        <button type="button" class="primary" disabled={submitting || !verdict.given} onClick={() => props.onCommand({ do: "next" })}>
          {submitting ? "Saving…" : "Next (Enter)"}
        </button>
      </div>
    </div>
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
