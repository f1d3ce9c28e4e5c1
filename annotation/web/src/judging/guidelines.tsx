// How to judge, and the keys.
import { Guidelines } from "../bench/frame";
import { KeyList } from "../episode/key_list";

export function JudgeGuidelines() {
  return (
    <Guidelines name="How to judge">
      <h2>How to judge</h2>
      <p>
        The grey part of the timeline is what led up to the request. Look at it as far as you need. <strong>Judge what the solver does after
        the line.</strong>
      </p>
      <h3 class="good">It succeeded</h3>
      <ul>
        <li>What the setter asked for was done as a fair person would have meant it, even clumsily.</li>
        <li>A question was answered, and the answer is right.</li>
        <li>It counts at the first moment at which it is done, even if it is undone later. Go to that moment, and say so there.</li>
      </ul>
      <h3 class="bad">It failed</h3>
      <ul>
        <li>It was not done by the end, or something else was done.</li>
        <li>The first answer to a question is wrong or none.</li>
        <li>What was done before the line does not count.</li>
      </ul>
      <h3>Neither</h3>
      <ul>
        <li>
          <strong>No request</strong>: the words ask for nothing, such as “thank you”.
        </li>
        <li>
          <strong>Cannot tell</strong>: the pictures do not show whether it was done. If you are only unsure, decide for success or failure.
        </li>
      </ul>
      <p class="hint">You can change your verdict until you open the next one.</p>
    </Guidelines>
  );
}

const KEYS: [string, string][] = [
  ["S or +", "it succeeded, at this moment"],
  ["F or −", "it failed"],
  ["X", "no request"],
  ["U", "cannot tell"],
  ["Enter", "next one"],
  ["T", "to where the judged part begins"],
  ["← →, with Shift", "one step, ten"],
  ["Space; 1 2 3 4", "play, stop; speed"],
  ["Alt ← →, or drag", "move the moment of success"],
  ["Ctrl Z, Ctrl Y", "undo, redo"],
];

export const JudgeKeys = () => <KeyList keys={KEYS} />;
