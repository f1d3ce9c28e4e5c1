// A question before work is submitted that looks unfinished.
import { useEffect, useRef } from "preact/hooks";

/** Asks once more before an episode is submitted that has no answer or was barely seen. */
export function Question(props: { text: string; onSubmit: () => void; onBack: () => void }) {
  const back = useRef<HTMLButtonElement>(null);
  useEffect(() => back.current?.focus(), []);
  return (
    <div class="question" role="alertdialog" aria-label="Submit this episode?" aria-describedby="question" onKeyDown={(event) => event.key === "Escape" && props.onBack()}>
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
