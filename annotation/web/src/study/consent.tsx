// The consent text, as admins write it.
import { useEffect, useState } from "preact/hooks";
import { ask } from "../api";
import { Trouble } from "../frame";
import type { Data } from "./data";
import { Section } from "./table";

interface Present {
  version: number;
  text: string;
}

export function ConsentText(props: { data: Data; reload: () => Promise<void> }) {
  const [present, setPresent] = useState<Present | null>(null);
  const [text, setText] = useState("");
  const [trouble, setTrouble] = useState("");
  useEffect(() => {
    ask<Present>("GET", "/api/consent")
      .then((found) => {
        setPresent(found);
        setText(found.text);
      })
      .catch((error: Error) => setTrouble(error.message));
  }, []);
  const publish = async (event: Event) => {
    event.preventDefault();
    try {
      const { version } = await ask<{ version: number }>("PUT", "/api/consent", { text });
      setPresent({ version: text.trim() ? version : 0, text: text.trim() });
      await props.reload();
    } catch (error) {
      setTrouble((error as Error).message);
    }
  };
  const people = props.data.people.filter((person) => person.active);
  const agreed = people.filter((person) => person.consented).length;
  return (
    <Section title="Consent">
      <p class="hint">
        Everybody has to agree to this text before anything else. It is plain text. After a change everybody is asked again, you too; an empty text asks for nothing. The server keeps when each person agreed, and to which version.
      </p>
      <Trouble said={trouble} />
      {present && (
        <form onSubmit={publish}>
          <p>{present.version ? `Version ${present.version}: ${agreed} of ${people.length} people have agreed.` : "No consent is asked for at present."}</p>
          <textarea aria-label="Consent text" rows={14} maxLength={20000} value={text} onInput={(e) => setText(e.currentTarget.value)} />
          <button class="primary" disabled={text.trim() === present.text}>
            {text.trim() || !present.version ? "Publish" : "Ask for no consent"}
          </button>
        </form>
      )}
    </Section>
  );
}
