// The tutorial: the keys one after another, each confirmed by using it. Nothing of it is recorded.
import { useEffect, useMemo, useState } from "preact/hooks";
import type { Me } from "../api";
import { written, type Layout } from "../keyboard";
import type { Hands, Practice } from "./hands";
import type { About, View } from "./view";

export interface Lesson {
  title: string;
  how: string;
  done: (practice: Practice, view: View) => boolean;
}

const ENOUGH_MS = 700;
const playhouse = (at: (places: string) => string): Lesson[] => [
  {
    title: "Look around",
    how: "Click the picture and move the mouse, or hold the arrow keys. Escape frees the mouse.",
    done: (practice) => practice.looked >= ENOUGH_MS,
  },
  { title: "Walk", how: `Hold ${at("W")} to go ahead; ${at("A, S")} and ${at("D")} go left, back and right.`, done: (practice) => practice.moved >= ENOUGH_MS },
  {
    title: "Grab",
    how: `Aim the cross at a thing and hold the mouse button, or Space. Release it to let go. ${at("G")} keeps hold for you; the wheel, or ${at("E")} and ${at("Q")}, push it away and pull it nearer.`,
    done: (practice) => practice.grabbed >= ENOUGH_MS,
  },
];
const SPEAK: Lesson = {
  title: "Speak",
  how: "Press Enter, write a line, such as “hello”, and press Enter again.",
  done: (_, view) => view.dialogue.some((line) => line.role === "solver"),
};

/** Return what the body of a game can do: a lesson for each key that its world declares, or the Playhouse's. */
export function lessonsOf(about: Pick<About, "keys" | "speaks" | "taught_by">, layout?: Layout): Lesson[] {
  const keys = about.keys.map((key, number) => ({
    title: key.name,
    how: `Press ${key.shown.split(" ").join(" or ")}.`,
    done: (practice: Practice) => practice.pressed.includes(number),
  }));
  return [...(about.taught_by ? keys : playhouse((places) => written(layout, places))), ...(about.speaks ? [SPEAK] : [])];
}

const kept = (person: Me, taughtBy: string) => `rlhf-tutorial-${person.id}${taughtBy && `-${taughtBy}`}`;

/** Return true if this person has finished or skipped the tutorial of these keys in this browser. */
export function knowsKeys(person: Me, taughtBy: string): boolean {
  return localStorage.getItem(kept(person, taughtBy)) !== null;
}

export function rememberKeys(person: Me, taughtBy: string): void {
  localStorage.setItem(kept(person, taughtBy), "yes");
}

export function Tutorial(props: { person: Me; about: About; hands: Hands; view: View | null; layout: Layout | undefined; onDone: () => void }) {
  const [at, setAt] = useState(0);
  const { view, hands, about, layout } = props;
  const lessons = useMemo(() => lessonsOf(about, layout), [about, layout]);
  const lesson = lessons[at];
  useEffect(() => {
    if (view?.state === "abandoned") rememberKeys(props.person, about.taught_by); // the world has ended it
    if (!lesson || view?.state !== "playing" || !lesson.done(hands.practice, view)) return;
    Object.assign(hands.practice, { pressed: [], looked: 0, moved: 0, grabbed: 0 }); // each lesson by doing it now
    setAt(at + 1);
  }, [view]);
  useEffect(() => {
    if (lesson) return;
    rememberKeys(props.person, about.taught_by);
    document.exitPointerLock(); // the mouse is needed for the button
  }, [at]);
  return (
    <section class="panel tutorial" aria-label="Learn the keys">
      <h2>Learn the keys</h2>
      <p class="hint">A scripted player asks you for things meanwhile. Do them if you like. Nothing is recorded.</p>
      <ol>
        {lessons.map((each, number) => (
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
