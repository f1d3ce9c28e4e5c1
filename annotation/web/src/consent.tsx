// The consent text: people agree to it before anything else.
import { useEffect, useState } from "preact/hooks";
import { ApiError, ask, me, untilAnswered, type Me } from "./api";
import { Frame, Trouble } from "./frame";

interface Present {
  version: number;
  text: string;
  agreed: number | null;
}

export function Consent() {
  const [person, setPerson] = useState<Me | null>(null);
  const [present, setPresent] = useState<Present | null>(null);
  const [trouble, setTrouble] = useState("");
  const load = () =>
    untilAnswered(me, setTrouble)
      .then(setPerson)
      .then(() => untilAnswered(() => ask<Present>("GET", "/api/consent"), setTrouble))
      .then(setPresent)
      .catch((error: ApiError) => (error.status === 401 ? location.replace("./") : setTrouble(error.message)));
  useEffect(() => void load(), []);

  const back = () => location.replace(location.hash.startsWith("#/") ? `.${location.hash.slice(1)}` : "./");
  const agree = async () => {
    try {
      await ask("POST", "/api/consent", { version: present?.version });
      back();
    } catch (error) {
      await load();
      setTrouble((error as Error).message);
    }
  };
  return (
    <Frame title="Before you take part" me={person}>
      <Trouble said={trouble} />
      {present && present.version === 0 && <p class="card">There is no consent text to agree to.</p>}
      {present && present.version > 0 && (
        <section class="card">
          <div class="prose">{present.text}</div>
          <p class="hint">Version {present.version}</p>
          {present.agreed ? (
            <p>
              You agreed to this on {new Date(1000 * present.agreed).toLocaleString()}.{" "}
              <button type="button" onClick={back}>
                Continue
              </button>
            </p>
          ) : (
            <>
              <p class="hint">If you do not agree, sign out or close the page. Only the name that you gave is kept; the study's leader deletes it if you ask.</p>
              <button type="button" class="primary" onClick={agree}>
                I have read this and agree
              </button>
            </>
          )}
        </section>
      )}
    </Frame>
  );
}
