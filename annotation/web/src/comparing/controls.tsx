// Buttons for the answer, and for playing the clips.
import { Playing, Tool } from "../episode/transport";
import type { Answer, Given } from "./answer";
import type { Command } from "./keys";
import type { Loop } from "./loop";

interface Props {
  loop: Loop;
  steps: number; // of each clip
  stepsPerSecond: number;
  answer: Answer;
  submitting: boolean;
  onCommand: (asked: Command) => void;
}

const ANSWERS: [Given, string][] = [
  ["left", "A is better"],
  ["same", "the same"],
  ["right", "B is better"],
  ["cannot tell", "cannot tell"],
];

export function CompareControls(props: Props) {
  const { loop, answer, submitting } = props;
  const given = answer.now.answer;
  const tool = (asked: Command, sign: string, name: string, disabled: boolean) => (
    <Tool sign={sign} name={name} disabled={disabled || submitting} onPress={() => props.onCommand(asked)} />
  );
  return (
    <div class="controls">
      <div class="group answers" role="group" aria-label="Answer">
        {ANSWERS.map(([each, words]) => (
          <button key={each} type="button" class="answer" aria-pressed={given === each} disabled={submitting} onClick={() => props.onCommand({ do: "answer", answer: each })}>
            {words}
          </button>
        ))}
        {tool({ do: "undo" }, "↶", "Undo (Ctrl Z)", !answer.canUndo)}
        {tool({ do: "redo" }, "↷", "Redo (Ctrl Y)", !answer.canRedo)}
      </div>
      <Playing player={loop} steps={props.steps} stepsPerSecond={props.stepsPerSecond} disabled={submitting} onCommand={props.onCommand} />
      <div class="group end">
        <button type="button" class="primary" disabled={submitting || !given} onClick={() => props.onCommand({ do: "next" })}>
          {submitting ? "Saving…" : "Next (Enter)"}
        </button>
      </div>
    </div>
  );
}
