// Three statements about the helper, each rated from 1 to 7, after a game.
import { useState } from "preact/hooks";

const STATEMENTS: [name: "knew_goal" | "helpful" | "trusted", words: string][] = [
  ["knew_goal", "The helper knew my goal."],
  ["helpful", "The helper was helpful."],
  ["trusted", "I trusted the helper."],
];
const SCALE = [1, 2, 3, 4, 5, 6, 7];

export type Ratings = Record<(typeof STATEMENTS)[number][0], number>;

export function Rating(props: { onRate: (ratings: Ratings) => void }) {
  const [given, setGiven] = useState<Partial<Ratings>>({});
  const all = STATEMENTS.every(([name]) => given[name] !== undefined);
  const send = (event: Event) => {
    event.preventDefault();
    if (all) props.onRate(given as Ratings);
  };
  return (
    <form class="rating" onSubmit={send}>
      <p class="hint">1: not at all; 7: completely</p>
      {STATEMENTS.map(([name, words]) => (
        <fieldset key={name}>
          <legend>{words}</legend>
          {SCALE.map((number) => (
            <label key={number}>
              <input type="radio" name={name} value={number} checked={given[name] === number} onChange={() => setGiven({ ...given, [name]: number })} />
              {number}
            </label>
          ))}
        </fieldset>
      ))}
      <button class="primary" disabled={!all}>
        Send the ratings
      </button>
    </form>
  );
}
