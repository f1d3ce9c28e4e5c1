// A question before work is submitted that looks unfinished.
import { useLayoutEffect, useRef } from "preact/hooks";
import { useKeys } from "./press";

/** Asks once more before an episode is submitted that has no answer or was barely seen. */
export function Question(props: { text: string; onSubmit: () => void; onBack: () => void }) {
  const back = useRef<HTMLButtonElement>(null);
  // Before the page is drawn: who sees the question may press a key at once.
  useLayoutEffect(() => back.current?.focus(), []);
  useKeys((press) => press.key === "Escape" || undefined, props.onBack, true);
  return (
    <div class="question" role="alertdialog" aria-label="Submit this episode?" aria-describedby="question">
      <span id="question">{props.text}</span>
      <button type="button" onClick={props.onSubmit}>
        Submit all the same
      </button>
      <button type="button" class="primary" ref={back} onClick={props.onBack}>
        Back to the episode
      </button>
    </div>
  );
}
