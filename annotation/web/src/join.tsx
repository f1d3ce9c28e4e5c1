// The page of an invitation link. Its token follows the #, which browsers do not send.
import { useEffect, useState } from "preact/hooks";
import { ask, me, type Me } from "./api";
import { Frame, Trouble } from "./frame";

export function Join() {
  const [token] = useState(() => location.hash.slice(1));
  const [link, setLink] = useState<{ role: string; new: boolean } | null>(null);
  const [name, setName] = useState("");
  const [trouble, setTrouble] = useState("");
  const [busy, setBusy] = useState(false);
  const [person, setPerson] = useState<Me | null>(null); // who is signed in on this browser already

  useEffect(() => {
    const signedIn = me().catch(() => null);
    ask<{ role: string; new: boolean }>("POST", "/api/sign-in/look", { token: token || "-" })
      .then(async (found) => (setPerson(await signedIn), setLink(found)))
      .catch(async (error: Error) => ((await signedIn) ? location.replace("./") : setTrouble(error.message)));
  }, [token]);

  const join = async (event: Event) => {
    event.preventDefault();
    setBusy(true);
    try {
      await ask("POST", "/api/sign-in/link", { token, name });
      const { teaching, roles } = await me();
      location.replace(teaching && roles.includes("rater") ? "teach" : "./");
    } catch (error) {
      setTrouble((error as Error).message);
      setBusy(false);
    }
  };

  return (
    <Frame title="Welcome">
      <Trouble said={trouble} />
      {link && (
        <form class="card" onSubmit={join}>
          {link.new ? (
            <>
              <p>
                You are invited to take part as <strong>{link.role}</strong>.
              </p>
              <label>
                What shall we call you?
                <input value={name} onInput={(e) => setName(e.currentTarget.value)} maxLength={80} required autofocus autocomplete="nickname" />
              </label>
              <p class="hint">Only the study's leader sees this name; the data has a pseudonym.</p>
            </>
          ) : (
            <p>This link signs you in on this browser. It works once.</p>
          )}
          {person && (
            <p>
              You are signed in as <strong>{person.name}</strong> here; this signs {person.name} out on this browser. To join as another person, use another browser or a private window, or{" "}
              <a href="./">go back</a>.
            </p>
          )}
          <button class="primary" disabled={busy}>
            {link.new ? "Join" : "Sign in"}
          </button>
        </form>
      )}
    </Frame>
  );
}
