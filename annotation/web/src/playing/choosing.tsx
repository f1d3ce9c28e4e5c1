// What a person can do now, as buttons: oneself, the rooms, and every visible thing with the actions that are possible.
import { useEffect, useRef, useState } from "preact/hooks";
import { arrowed, listed, ofGroup, progress } from "./choices";
import type { Board, Thing } from "./view";

interface Props {
  board: Board | null;
  enabled: boolean;
  onChoose: (key: string, step: number) => boolean;
}

/** The list. Typing filters it, arrow keys go from button to button, Enter presses one. */
export function Choosing({ board, enabled, onChoose }: Props) {
  const [typed, setTyped] = useState("");
  const [sent, setSent] = useState<number | null>(null); // step of the choice that is on its way
  const list = useRef<HTMLElement>(null);
  const filter = useRef<HTMLInputElement>(null);
  const waits = sent !== null && sent === board?.step;
  useEffect(() => {
    if (!enabled) setSent(null); // the connection was lost, and with it perhaps the choice
  }, [enabled]);
  useEffect(() => {
    if (board && document.activeElement === document.body) filter.current?.focus(); // its button is gone
  }, [board?.step]);
  useEffect(() => {
    if (!waits) return undefined;
    const timer = setTimeout(() => setSent(null), 10_000); // it may have come too late for its step
    return () => clearTimeout(timer);
  }, [waits]);
  if (!board) return null;
  const choose = (key: string) => {
    if (enabled && !waits && onChoose(key, board.step)) setSent(board.step);
  };
  const press = (event: KeyboardEvent) => {
    if (event.isComposing) return; // the key is for the input method
    const buttons = [...(list.current?.querySelectorAll<HTMLButtonElement>("button") ?? [])];
    const at = buttons.indexOf(event.target as HTMLButtonElement);
    const inField = event.target === filter.current;
    if (inField && (event.key === "Home" || event.key === "End" || event.key === "ArrowLeft" || event.key === "ArrowRight")) return;
    if (inField && event.key === "Escape") setTyped("");
    const first = buttons.findIndex((button) => button.dataset.listed !== undefined);
    if (inField && event.key === "Enter" && typed && first >= 0) buttons[first]?.click();
    const next = arrowed(event.key, inField ? Math.max(first, 0) - 1 : at, buttons.length);
    if (next !== null) {
      (next < 0 ? filter.current : buttons[next])?.focus();
      event.preventDefault();
    }
    if (event.key !== "Tab") event.stopPropagation();
  };
  const groups = listed(board, typed);
  return (
    <section class="panel choosing" aria-label="What you can do" aria-busy={waits} ref={list} onKeyDown={press}>
      <div class="own">
        {ofGroup(board, "oneself").map((thing) => (
          <Buttons key={thing[1]} thing={thing} onChoose={choose} />
        ))}
      </div>
      <div class="own" role="group" aria-label="Walk to another room">
        <span class="hint">walk to</span>
        {ofGroup(board, "rooms").map(([, name, , choices]) => choices.map(([key]) => <Choice key={key} words={name} label={`walk to the ${name}`} onPress={() => choose(key)} />))}
      </div>
      <label class="filter">
        <span class="hint">find a thing or an action</span>
        <input ref={filter} value={typed} autocomplete="off" onInput={(event) => setTyped(event.currentTarget.value)} />
      </label>
      <div class="things">
        {groups.map(([title, things]) => (
          <div key={title}>
            <h3>
              {title} <span class="hint">({things.length})</span>
            </h3>
            <ul class="plain">
              {things.map((thing) => (
                <li key={thing[1]}>
                  <span class="thing">
                    <strong>{thing[1]}</strong> <span class="hint">{thing[2]}</span>
                  </span>
                  <Buttons thing={thing} named onChoose={choose} />
                </li>
              ))}
            </ul>
          </div>
        ))}
        {typed && groups.every(([, things]) => things.length === 0) && <p class="hint">Nothing in sight is called so. Escape empties the field.</p>}
      </div>
    </section>
  );
}

function Buttons(props: { thing: Thing; named?: boolean; onChoose: (key: string) => void }) {
  const [, name, , choices] = props.thing;
  return (
    <span class="acts" role="group" aria-label={name}>
      {choices.map(([key, words]) => (
        <Choice key={key} words={words} listed={props.named} label={props.named ? `${words}: ${name}` : undefined} onPress={() => props.onChoose(key)} />
      ))}
    </span>
  );
}

function Choice(props: { words: string; label?: string; listed?: boolean; onPress: () => void }) {
  return (
    <button type="button" aria-label={props.label} data-listed={props.listed ? "" : undefined} onClick={props.onPress}>
      {props.words}
    </button>
  );
}

/** What the person knows: place, hands, the last failure, and the goal as far as it was seen. */
export function Status({ board }: { board: Board | null }) {
  if (!board) return null;
  return (
    <section class="panel status" aria-label="Your task">
      {board.goal.length > 0 && (
        <>
          <h2>Your task</h2>
          <ul class="plain goal">
            {board.goal.map(([words, wanted, known]) => (
              <li key={words} class={known !== null && known >= wanted ? "done" : ""}>
                <span>{words}</span> <span class="known">{progress(wanted, known)}</span>
              </li>
            ))}
          </ul>
        </>
      )}
      <p class="hint">
        {board.place}; {board.hands}
      </p>
      <p class="failed" role="status">
        {board.feedback && `That failed: ${board.feedback}.`}
      </p>
    </section>
  );
}
