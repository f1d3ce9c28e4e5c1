// A form in which the admin makes a dataset that games are recorded into.
import { useState } from "preact/hooks";
import { ask } from "../api";
import { Trouble } from "../frame";

export function NewDataset(props: { first: boolean; onMade: () => unknown }) {
  const [name, setName] = useState(props.first ? "people" : "");
  const [trouble, setTrouble] = useState("");
  const make = async (event: Event) => {
    event.preventDefault();
    try {
      await ask("POST", "/api/play/datasets", { name });
      setName("");
      setTrouble("");
      await props.onMade();
    } catch (error) {
      setTrouble((error as Error).message);
    }
  };
  return (
    <details class="card" open={props.first}>
      <summary>Make a dataset to play into</summary>
      <form class="row" onSubmit={make}>
        <Trouble said={trouble} />
        <label>
          name (small letters, digits, - and _)
          <input value={name} required maxLength={40} pattern="[a-z0-9][a-z0-9_\-]*" onInput={(event) => setName(event.currentTarget.value)} />
        </label>
        <button class="primary">Make it</button>
      </form>
      <p class="hint">A dataset is a folder in the study's folder. Its first game sets its world and its size of pictures: the Playhouse, 72x96 pixels, or the size that the agent sees. The houses are those in which the agent learned, else those of the study's other datasets; the page Run the study, under Settings of the project, sets others.</p>
    </details>
  );
}
