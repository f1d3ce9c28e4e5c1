// The tutorial: the keys one after another, each confirmed by using it. Nothing of it is recorded.
import { useEffect, useState } from "preact/hooks";
import type { Me } from "../api";
import type { Hands, Practice } from "./hands";
import type { View } from "./view";

interface Lesson {
  title: string;
  how: string;
  done: (practice: Practice, view: View) => boolean;
}

const ENOUGH_MS = 700;
const LESSONS: Lesson[] = [
  {
    title: "Look around",
    how: "Click the picture and move the mouse, or hold the arrow keys. Escape frees the mouse.",
    done: (practice) => practice.looked >= ENOUGH_MS,
  },
  { title: "Walk", how: "Hold W to go ahead; A, S and D go left, back and right.", done: (practice) => practice.moved >= ENOUGH_MS },
  {
    title: "Grab",
    how: "Aim the cross at a thing and hold the mouse button, or Space. Release it to let go. G keeps hold for you; the wheel, or E and Q, push it away and pull it nearer.",
    done: (practice) => practice.grabbed >= ENOUGH_MS,
  },
  {
    title: "Speak",
    how: "Press Enter, write a line, such as “hello”, and press Enter again.",
    done: (_, view) => view.dialogue.some((line) => line.role === "solver"),
  },
];

const kept = (person: Me) => `rlhf-tutorial-${person.id}`;

/** Return true if this person has finished or skipped the tutorial in this browser. */
export function knowsKeys(person: Me): boolean {
  return localStorage.getItem(kept(person)) !== null;
}

export function rememberKeys(person: Me): void {
  localStorage.setItem(kept(person), "yes");
}

export function Tutorial(props: { person: Me; hands: Hands; view: View | null; onDone: () => void }) {
  const [at, setAt] = useState(0);
  const { view, hands } = props;
  const lesson = LESSONS[at];
  useEffect(() => {
    if (!lesson || view?.state !== "playing" || !lesson.done(hands.practice, view)) return;
    setAt(at + 1);
    if (at + 1 < LESSONS.length) return;
    rememberKeys(props.person);
    document.exitPointerLock(); // the mouse is needed for the button
  }, [view]);
  useEffect(() => {
    Object.assign(hands.practice, { looked: 0, moved: 0, grabbed: 0 }); // each lesson by doing it now
  }, [at]);
  return (
    <section class="panel tutorial" aria-label="Learn the keys">
      <h2>Learn the keys</h2>
      <p class="hint">A scripted player asks you for things meanwhile. Do them if you like. Nothing is recorded.</p>
      <ol>
        {LESSONS.map((each, number) => (
          <li key={each.title} class={number < at ? "done" : number === at ? "current" : ""}>
            <strong>
              {number < at ? "✓ " : ""}
              {each.title}
            </strong>
            {number === at && <p>{each.how}</p>}
          </li>
        ))}
      </ol>
      <div role="status">
        {!lesson && (
          <>
            <p>That is all you need. You can stay and practise.</p>
            <button type="button" class="primary" onClick={props.onDone}>
              I know the keys
            </button>
          </>
        )}
      </div>
    </section>
  );
}
