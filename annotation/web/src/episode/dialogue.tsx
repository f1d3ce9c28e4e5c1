// The dialogue, with the utterance before the moment that is shown highlighted.
import { useEffect, useRef } from "preact/hooks";
import type { Words } from "./types";
import { clock } from "./player";

export function Dialogue(props: { words: Words[]; step: number; stepsPerSecond: number; onGo: (step: number) => void }) {
  const list = useRef<HTMLOListElement>(null);
  const current = props.words.reduce((last, said, index) => (said.step <= props.step ? index : last), -1);
  useEffect(() => {
    const item = list.current?.children[Math.max(0, current)] as HTMLElement | undefined;
    if (item && list.current) list.current.scrollTop = item.offsetTop - list.current.clientHeight / 2;
  }, [current]);
  return (
    <section class="panel dialogue" aria-label="Dialogue">
      <h2>Dialogue</h2>
      <ol ref={list} tabIndex={0} aria-label="What was said">
        {props.words.map((said, index) => (
          <li key={`${said.who}${said.step}`} class={`${said.who}${index > current ? " later" : ""}${index === current ? " current" : ""}`}>
            <button type="button" class="time" onClick={() => props.onGo(said.step)} aria-label={`Go to ${clock(said.step, props.stepsPerSecond)}`}>
              {clock(said.step, props.stepsPerSecond)}
            </button>
            <span class="who">{said.who}</span>
            <span class="words">{said.words}</span>
          </li>
        ))}
        {props.words.length === 0 && <li class="later">Nobody says anything in this episode.</li>}
      </ol>
    </section>
  );
}

/**
 * Under the picture: the last utterance of each player, and what the solver does now where that is known in words.
 * `heard`: the solver's utterances that count, if not all do.
 */
export function Captions(props: { words: Words[]; step: number; heard?: Words[]; actions?: string[] }) {
  const nothing = <i>says nothing yet</i>;
  return (
    <div class="captions">
      <p>
        <span class="who setter">setter</span> {lastSaid(props.words, props.step, "setter") || nothing}
      </p>
      <p>
        <span class="who solver">solver</span> {lastSaid(props.heard ?? props.words, props.step, "solver") || nothing}
      </p>
      {props.actions && (
        <p class="does" title={props.actions[props.step]}>
          <span class="who solver">does</span> {props.actions[props.step]}
        </p>
      )}
    </div>
  );
}

/** The last utterance of a player up to a step. */
function lastSaid(words: Words[], step: number, who: Words["who"]): string {
  return words.reduce((last, said) => (said.who === who && said.step <= step ? said.words : last), "");
}
