// The first page: signing in, or the pages that this person may use.
import { useEffect, useState } from "preact/hooks";
import { ApiError, ask, me, untilAnswered, type Me } from "./api";
import { Frame, Trouble } from "./frame";

const TEACH = { role: "rater", href: "teach", name: "Teach", what: "Watch the agent, say how it does, and train it." };
const PAGES: { role: string; href: string; name: string; what: string }[] = [
  { role: "admin", href: "study", name: "Run the study", what: "Invite people, set how episodes go to raters, and follow their work." },
  { role: "admin", href: "look", name: "Look at episodes", what: "Find episodes by player, request or words; see all marks, and the rewards that a reward model gives." },
  { role: "setter solver co-pilot admin", href: "play", name: "Play", what: "Ask for things or do them in a small house, with others or with an agent; your play is recorded." },
  { role: "rater", href: "mark", name: "Mark episodes", what: "Watch recorded play and mark where the solver made progress, and where it went wrong." },
  { role: "rater", href: "compare", name: "Compare clips", what: "Watch two short clips of play side by side, and say in which the solver does better." },
  { role: "rater", href: "watch", name: "Infer goals", what: "Watch the setter act without a word, and say what it wanted to get done." },
  { role: "judge", href: "judge", name: "Judge", what: "Watch what a solver does after a request, and say whether it succeeded." },
];

export function Home() {
  const [person, setPerson] = useState<Me | null>(null);
  const [trouble, setTrouble] = useState("");
  const [stranger, setStranger] = useState(false);

  useEffect(() => {
    untilAnswered(me, setTrouble)
      .then((found) => (found.viewing ? location.replace("look") : setPerson(found)))
      .catch((error: ApiError) => (error.status === 401 ? setStranger(true) : setTrouble(error.message)));
  }, []);

  const pages = [...(person?.teaching ? [TEACH] : []), ...PAGES].filter((page) => page.role.split(" ").some((role) => person?.roles.includes(role)));
  return (
    <Frame title={person ? `Hello, ${person.name}` : "Sign in"} me={person}>
      <Trouble said={trouble} />
      {stranger && <SignIn />}
      {person && (
        <>
          <ul class="page-links">
            {pages.map((page) => (
              <li key={page.href}>
                <a class="card" href={page.href}>
                  <strong>{page.name}</strong>
                  <span>{page.what}</span>
                </a>
              </li>
            ))}
          </ul>
          {pages.length === 0 && <p>There is nothing for you to do here yet; ask the study's leader.</p>}
          <Password name={person.name} />
        </>
      )}
    </Frame>
  );
}

function SignIn() {
  const [name, setName] = useState("");
  const [password, setPassword] = useState("");
  const [trouble, setTrouble] = useState("");
  const enter = async (event: Event) => {
    event.preventDefault();
    try {
      await ask("POST", "/api/sign-in/password", { name, password });
      location.reload();
    } catch (error) {
      setTrouble((error as Error).message);
    }
  };
  return (
    <>
      <p>
        Open the link that you were sent. It works once. If you have used it on another browser, or have signed out, ask for a
        new link, or sign in with your password if you have set one.
      </p>
      <form class="card" onSubmit={enter}>
        <Trouble said={trouble} />
        <label>
          Name
          <input value={name} onInput={(e) => setName(e.currentTarget.value)} required maxLength={80} autocomplete="username" />
        </label>
        <label>
          Password
          <input type="password" value={password} onInput={(e) => setPassword(e.currentTarget.value)} required autocomplete="current-password" />
        </label>
        <button class="primary">Sign in</button>
      </form>
    </>
  );
}

function Password(props: { name: string }) {
  const [password, setPassword] = useState("");
  const [said, setSaid] = useState("");
  const keep = async (event: Event) => {
    event.preventDefault();
    try {
      await ask("POST", "/api/me/password", { password });
      setSaid("The password is set.");
      setPassword("");
    } catch (error) {
      setSaid((error as Error).message);
    }
  };
  return (
    <details class="card">
      <summary>Set a password</summary>
      <p class="hint">You do not need one on this browser. With a password you can sign in on another browser without a new link.</p>
      <form onSubmit={keep}>
        <input type="text" value={props.name} readOnly hidden autocomplete="username" />
        <label>
          New password, at least 10 characters
          <input type="password" minLength={10} maxLength={200} required value={password} onInput={(e) => setPassword(e.currentTarget.value)} autocomplete="new-password" />
        </label>
        <button>Set password</button>
        <p role="status">{said}</p>
      </form>
    </details>
  );
}
