// How to infer goals, and the keys.
import { Guidelines } from "../bench/frame";
import type { Instructed } from "../bench/task";
import { KeyList } from "../episode/key_list";

export function InferGuidelines(props: { project: Instructed }) {
  return (
    <Guidelines name="How to infer goals" project={props.project}>
      <h2>How to infer a goal</h2>
      <p>
        The film shows how the <b>setter</b> reaches a goal without a word: with the setter's eyes and, where the world draws it, from above. Say what the goal was.
      </p>
      <ul>
        <li>Count what the setter brought there on purpose. What was there before, or was only moved out of the way, does not count.</li>
        <li>Things are counted by kind: which of the plates it was does not matter.</li>
        <li>A goal has at least one thing, and may have things at several places.</li>
        <li>The last picture shows the place as the setter left it.</li>
      </ul>
      <p class="hint">You can change your answer until you open the next demonstration.</p>
    </Guidelines>
  );
}

const KEYS: [string, string][] = [
  ["Space; 1 2 3 4", "play, stop; speed"],
  ["← →, with Shift", "one step, ten"],
  ["Home End", "begin, end"],
  ["G, then Tab", "to the form, to its next line"],
  ["0 to 9, ↑ ↓", "on a line: its count"],
  ["Delete", "on a line: 0; elsewhere: empty the form"],
  ["Ctrl Z, Ctrl Y", "undo, redo"],
  ["Enter", "next demonstration"],
];

export const InferKeys = () => <KeyList keys={KEYS} />;
