// How to compare clips, and the keys.
import { Guidelines } from "../bench/frame";
import type { Instructed } from "../bench/task";
import { KeyList } from "../episode/key_list";

export function CompareGuidelines(props: { project: Instructed; names: [string, string]; quick?: boolean }) {
  const [one, other] = props.names;
  return (
    <Guidelines name="How to compare" project={props.project}>
      <h2>Which clip is better?</h2>
      <p>
        You look through the eyes of the <b>solver</b>, who is to do what the <b>setter</b> asked. Say in which clip it does that better.
      </p>
      <h3>
        {one} or {other} is better
      </h3>
      <ul>
        <li>The solver gets further with what was asked, or goes about it more directly.</li>
        <li>It makes no mistake, or a smaller one.</li>
        <li>What it says is right and to the point.</li>
        <li>
          If something else was asked in {one} than in {other}, look at each by its own request.
        </li>
      </ul>
      <h3>{props.quick ? "No difference" : "The same"}</h3>
      <ul>
        <li>Both are as good, or as bad, or nothing happens in either.</li>
      </ul>
      {!props.quick && (
        <>
          <h3>Cannot tell</h3>
          <ul>
            <li>The pictures do not show what you would need to know. If you are only unsure, decide for one of the others.</li>
          </ul>
        </>
      )}
      <p class="hint">Only what happens in the clips counts.{!props.quick && " You can change your answer until you open the next clips."}</p>
    </Guidelines>
  );
}

const KEYS: [string, string][] = [
  ["A", "A is better"],
  ["B", "B is better"],
  ["S or =", "the same"],
  ["U", "cannot tell"],
  ["Enter", "next clips"],
  ["Space; 1 2 3 4", "play both, stop; speed"],
  ["← →, with Shift", "one step of both, ten"],
  ["Home End", "begin, end"],
  [", .", "utterance before, after"],
  ["Delete", "take the answer back"],
  ["Ctrl Z, Ctrl Y", "undo, redo"],
];

const QUICK_KEYS: [string, string][] = [
  ["1", "1 is better"],
  ["2", "2 is better"],
  ["0 or =", "no difference"],
  ["Space, ← →", "stop and look again"],
  ["Ctrl Z", "take the last answer back"],
];

export const QuickKeys = () => <KeyList keys={QUICK_KEYS} open />;
export const CompareKeys = () => <KeyList keys={KEYS} />;
