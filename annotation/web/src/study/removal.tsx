// The form that deletes a person's data for good.
import { useState } from "preact/hooks";
import { ask } from "../api";
import { Trouble } from "../frame";
import type { Person } from "./data";
import { names } from "../words";
import { useFocus } from "./focus";

export function Removal(props: { person: Person; onDone: () => void; reload: () => Promise<void> }) {
  const { person } = props;
  const form = useFocus<HTMLFormElement>();
  const [episodes, setEpisodes] = useState(false);
  const [typed, setTyped] = useState("");
  const [trouble, setTrouble] = useState("");
  const [busy, setBusy] = useState(false);
  const remove = async (event: Event) => {
    event.preventDefault();
    setBusy(true);
    try {
      await ask("POST", `/api/people/${person.id}/removal`, { episodes });
      props.onDone();
      await props.reload();
    } catch (error) {
      setTrouble((error as Error).message);
      setBusy(false);
    }
  };
  return (
    <form ref={form} tabIndex={-1} class="settings danger" onSubmit={remove} aria-label={`Delete the data of ${person.name}`}>
      <h3>Delete the data of {person.name}</h3>
      <p>
        Their name, sign-ins, drafts, marks and verdicts are deleted for good, also from the datasets. Copies elsewhere, and models that were trained on the marks, are not reached.
      </p>
      <fieldset>
        <legend>Episodes in which they played</legend>
        <label>
          <input type="radio" name="episodes" checked={!episodes} onChange={() => setEpisodes(false)} /> stay, under the pseudonym <code>{person.pseudonym}</code>
        </label>
        <label>
          <input type="radio" name="episodes" checked={episodes} onChange={() => setEpisodes(true)} /> are deleted, too, with everybody's marks of them
        </label>
      </fieldset>
      <label>
        type <b>{person.name}</b> or <code>{person.pseudonym}</code> to confirm
        <input value={typed} onInput={(e) => setTyped(e.currentTarget.value)} autocomplete="off" />
      </label>
      <Trouble said={trouble} />
      <button class="dangerous" disabled={busy || !names(typed, person)}>
        {busy ? "Deleting…" : "Delete for good"}
      </button>
      <button type="button" class="quiet" onClick={props.onDone}>
        Cancel
      </button>
    </form>
  );
}
