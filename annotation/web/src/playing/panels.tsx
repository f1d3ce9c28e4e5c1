// Panels beside the picture: the prompt, the dialogue, the verdicts, and the keys.
import { useEffect, useRef } from "preact/hooks";
import { KeyList } from "../episode/key_list";
import { written, type Layout } from "../keyboard";
import { NAMES, openRequest, type About, type Asked, type BodyKey, type Kind, type Role, type Said, type View } from "./view";

export function Prompt(props: { about: About; role: Role }) {
  const { about, role } = props;
  if (role !== "setter") return null;
  return (
    <section class="panel prompt" aria-label="What to ask for">
      <h2>What to ask for</h2>
      {about.prompt ? (
        <>
          <p class="task">{about.prompt.text}</p>
          {about.prompt.modifier && <p class="modifier">{about.prompt.modifier}</p>}
          <p class="hint">When it is done, or hopeless, ask for another of the kind.</p>
        </>
      ) : (
        <p>Ask for anything: something to do, or a question.</p>
      )}
    </section>
  );
}

/** Everything that was said. */
export function Dialogue(props: { view: View | null }) {
  const list = useRef<HTMLOListElement>(null);
  const lines = props.view?.dialogue ?? [];
  useEffect(() => list.current?.scrollTo({ top: list.current.scrollHeight }), [lines.length]);
  return (
    <section class="panel spoken" aria-label="What is said">
      <h2>What is said</h2>
      <ol ref={list} aria-live="polite" tabIndex={0}>
        {lines.map((line) => (
          <li key={`${line.step} ${line.role}`} class={line.role === "setter" ? "setter" : "solver"}>
            <span class="who">{NAMES[line.role]}</span> <span class="words">{line.words}</span>
          </li>
        ))}
        {lines.length === 0 && <li class="hint">Nothing yet.</li>}
      </ol>
    </section>
  );
}

const SIGNS: Record<Said, string> = { success: "✓", failure: "✗", "no request": "–" };

/** The requests of an evaluation's setter, each with its verdict. */
export function Requests(props: { asked: Asked[]; onJudge: (step: number, said: Said) => void }) {
  const open = openRequest(props.asked);
  return (
    <section class="panel requests" aria-label="Did it succeed?">
      <h2>Did it succeed?</h2>
      {props.asked.length === 0 && <p class="hint">When the agent has done what you asked, or failed, say so: Y or N.</p>}
      <ol>
        {[...props.asked].reverse().map((line) => (
          <li key={line.step} class={line === open ? "current" : ""}>
            <span class="words">{line.words}</span>
            <span class="verdicts" role="group" aria-label={`Of “${line.words}”`}>
              {(Object.keys(SIGNS) as Said[]).map((said) => (
                <button
                  key={said}
                  type="button"
                  class={said.replace(" ", "-")}
                  aria-pressed={line.said === said}
                  title={{ success: "It succeeded", failure: "It failed", "no request": "It asked for nothing" }[said]}
                  aria-label={{ success: "It succeeded", failure: "It failed", "no request": "It asked for nothing" }[said]}
                  onMouseDown={(event) => event.preventDefault()}
                  onClick={() => props.onJudge(line.step, said)}
                >
                  {SIGNS[said]}
                </button>
              ))}
            </span>
          </li>
        ))}
      </ol>
      {open && (
        <p class="hint">
          Keys for the marked one: <kbd>Y</kbd> succeeded, <kbd>N</kbd> failed, <kbd>X</kbd> was no request
        </p>
      )}
    </section>
  );
}

const BY_PLACE = "Letters that move you are those of an English keyboard: on another, press the keys at their places.";

/** The keys of the Playhouse's body, see hands.ts. */
function moving(layout: Layout | undefined, fullHands: boolean): [string, string][] {
  const at = (places: string) => written(layout, places);
  const keys: [string, string][] = [
    [at("W A S D"), "walk"],
    ["mouse, ← → ↑ ↓", "turn, look (Shift: slowly)"],
    ["button, Space", "hold: grab at the cross"],
    [at("G"), "keep hold, let go"],
    [`wheel, ${at("E Q")}`, "push away, pull nearer"],
  ];
  if (fullHands) keys.push([at("I K, J L, U O"), "tilt, spin, roll what you hold"], [at("F"), "throw it"]);
  return keys;
}

export function Keys(props: { kind: Kind; role: Role; declared: BodyKey[]; ownBody: boolean; fullHands: boolean; layout: Layout | undefined }) {
  const body = props.ownBody ? moving(props.layout, props.fullHands) : props.declared.map((key): [string, string] => [key.shown, key.name]);
  const hint = props.ownBody ? `Click the picture to look with the mouse.${props.layout === null ? ` ${BY_PLACE}` : ""}` : undefined;
  const keys: [string, string][] = [...body, ["Enter", "write a line, send it"], ["Escape", props.ownBody ? "free the mouse, leave the line" : "leave the line"]];
  if (props.role === "co_pilot") keys.unshift(["C", "take over, hand back"]);
  if (props.kind === "evaluation") keys.push(["Y N X", "succeeded, failed, was no request"]);
  return <KeyList keys={keys} open hint={hint} />;
}
