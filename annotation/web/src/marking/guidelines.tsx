// The guidelines for raters, after appendix A.2 of the paper, in our words.
import { Guidelines } from "../bench/frame";
import type { Instructed } from "../bench/task";
import { KeyList } from "../episode/key_list";

export function MarkGuidelines(props: { project?: Instructed; training?: boolean; returned?: string }) {
  const before = (
    <>
      {props.training && <p class="practice">For practice: after you submit this episode, you see your marks beside known ones.</p>}
      {props.returned && (
        <p class="practice">
          <b>This episode was sent back to you.</b> <span class="prose">{props.returned}</span>
        </p>
      )}
    </>
  );
  return (
    <Guidelines name="Guidelines" project={props.project} before={before}>
      <h2>What to mark</h2>
      <p>
        The <b>setter</b> asks for something; the <b>solver</b>, through whose eyes you look, is to do it. Mark the moments of progress and of regress.
      </p>
      <h3 class="good">+ progress</h3>
      <ul>
        <li>The solver has done what was asked.</li>
        <li>It does something that brings it clearly closer.</li>
      </ul>
      <h3 class="bad">− regress</h3>
      <ul>
        <li>The solver makes a clear mistake.</li>
        <li>It does something that has nothing to do with what was asked.</li>
      </ul>
      <details open>
        <summary>Example: “put the orange duck on the shelf in the bedroom”</summary>
        <ul class="signed">
          <li class="good">picks up the orange duck</li>
          <li class="good">goes into the bedroom</li>
          <li class="good">sets the duck down on the shelf</li>
          <li class="bad">picks up anything else</li>
          <li class="bad">wanders into another room</li>
          <li class="bad">leaves the duck somewhere that is not the shelf</li>
          <li class="bad">knocks things over, or says something beside the point</li>
        </ul>
      </details>
      <details open>
        <summary>When the solver speaks</summary>
        <p>Mark each thing it says: + if it is right and to the point, − if not.</p>
        <ul class="signed">
          <li class="quote">“Is there a purple rocket in the room?” (there is)</li>
          <li class="good">“yes”</li>
          <li class="bad">“no”: a wrong answer</li>
          <li class="quote">“Put the ball in the box.”</li>
          <li class="good">“The white or the red one?”: it needs to know</li>
          <li class="bad">“Three beds”: nothing to do with it</li>
        </ul>
      </details>
      <details open>
        <summary>Was the request done?</summary>
        <p>You can also say of each request whether the solver has done all of it (S) or not (F), once you have seen how it ends.</p>
      </details>
      <p class="hint">Mark each event once, at the moment at which it can be seen. Ten to twenty marks in five minutes are usual; where nothing happens, none is right.</p>
    </Guidelines>
  );
}

const KEYS: [string, string][] = [
  ["Mouse", "over the picture: moves through the episode; a click keeps the moment, another lets it go"],
  ["+ or P", "mark progress"],
  ["− or N", "mark regress"],
  ["S, F", "the request of this moment was done, or was not"],
  ["← →", "one step; with Shift ten"],
  ["Space", "play, stop"],
  ["1 2 3 4", "speed 0.5 to 4"],
  ["[ ]", "mark before, after"],
  [", .", "utterance before, after"],
  ["Alt ← →", "move the chosen mark"],
  ["Delete", "delete it"],
  ["Ctrl Z, Ctrl Y", "undo, redo"],
  ["Home End", "begin, end"],
];

const QUICK_KEYS: [string, string][] = [
  ["S", "done; the next clip follows"],
  ["F", "not done; the next clip follows"],
  ["+ or P, − or N", "a moment of progress, of regress"],
  ["Space, ← →", "stop and look again"],
  ["Ctrl Z", "undo"],
];

export const QuickKeys = () => <KeyList keys={QUICK_KEYS} open />;
export const MarkKeys = () => <KeyList keys={KEYS} />;
