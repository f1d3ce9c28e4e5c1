// The study leader's page.
import { useEffect, useState } from "preact/hooks";
import { ApiError, ask, me, type Me } from "./api";
import { Frame, Trouble } from "./frame";
import { NewDataset } from "./playing/dataset";

interface Project {
  id: string;
  dataset: string;
  overlap: number;
  strategy: string;
  open: boolean;
  episodes: number;
  wanted: number;
  submitted: number;
  begun: number;
  exported: number;
  marks_per_five_minutes: number | null;
}

interface Person {
  id: string;
  name: string;
  pseudonym: string;
  roles: string[];
  active: boolean;
  episodes: number;
  marks: number;
  marks_per_five_minutes: number | null;
  minutes_per_episode: number | null;
}

interface Invitation {
  id: string;
  role: string;
  note: string;
  expires: number;
  again: boolean;
}

interface Data {
  projects: Project[];
  people: Person[];
  invitations: Invitation[];
  export_trouble: string;
}

const ROLES = ["rater", "setter", "solver", "co-pilot", "judge", "admin"];
const STRATEGIES: Record<string, string> = {
  breadth: "every episode once, then again",
  depth: "finish each episode first",
  shuffled: "in an order of each rater's own",
};
const REFRESH_MS = 10_000;

export function Study() {
  const [person, setPerson] = useState<Me | null>(null);
  const [data, setData] = useState<Data | null>(null);
  const [trouble, setTrouble] = useState("");

  const load = () =>
    ask<Data>("GET", "/api/study")
      .then((found) => {
        setData(found);
        setTrouble("");
      })
      .catch((error: Error) => setTrouble(error.message));
  const change = async (method: string, path: string, body?: unknown) => {
    try {
      await ask(method, path, body);
    } catch (error) {
      setTrouble((error as Error).message);
      return;
    }
    await load();
  };

  useEffect(() => {
    me()
      .then(setPerson)
      .then(load)
      .catch((error: ApiError) => (error.status === 401 ? location.replace("/") : setTrouble(error.message)));
    const timer = setInterval(() => document.visibilityState === "visible" && void load(), REFRESH_MS);
    return () => clearInterval(timer);
  }, []);

  return (
    <Frame title="Run the study" me={person} wide>
      <div class="study">
        <Trouble said={trouble} />
        {data?.export_trouble && <Trouble said={`Marks wait to be written to their dataset: ${data.export_trouble}`} />}
        {data && (
          <>
            {data.projects.length === 0 && <NewDataset first onMade={load} />}
            <Projects projects={data.projects} change={change} />
            <Invitations invitations={data.invitations} reload={load} change={change} />
            <People people={data.people} change={change} />
          </>
        )}
      </div>
    </Frame>
  );
}

type Change = (method: string, path: string, body?: unknown) => Promise<void>;

function Projects(props: { projects: Project[]; change: Change }) {
  return (
    <section class="card">
      <div class="heading">
        <h2>Datasets</h2>
        <button type="button" class="quiet" onClick={() => props.change("POST", "/api/export")}>
          Write marks to the datasets now
        </button>
      </div>
      <div class="scroll">
        <table>
          <thead>
            <tr>
              <th scope="col">dataset</th>
              <th scope="col" class="number">episodes</th>
              <th scope="col">marked</th>
              <th scope="col" class="number">being marked</th>
              <th scope="col" class="number">in the dataset</th>
              <th scope="col" class="number">marks / 5 min</th>
              <th scope="col">raters each</th>
              <th scope="col">order</th>
              <th scope="col">handed out</th>
            </tr>
          </thead>
          <tbody>
            {props.projects.map((project) => (
              <tr key={project.id}>
                <th scope="row">{project.dataset === "." ? "(the folder itself)" : project.dataset}</th>
                <td class="number">{project.episodes}</td>
                <td>
                  <progress max={Math.max(1, project.wanted)} value={project.submitted} aria-label={`Marked of ${project.dataset}`} /> {project.submitted} of{" "}
                  {project.wanted}
                </td>
                <td class="number">{project.begun}</td>
                <td class="number">{project.exported}</td>
                <td class="number">{project.marks_per_five_minutes ?? "–"}</td>
                <td>
                  <input
                    type="number"
                    min={1}
                    max={1000}
                    value={project.overlap}
                    aria-label={`Raters for each episode of ${project.dataset}`}
                    onChange={(e) => props.change("PATCH", `/api/projects/${project.id}`, { overlap: Number(e.currentTarget.value) })}
                  />
                </td>
                <td>
                  <select
                    value={project.strategy}
                    aria-label={`Order of the episodes of ${project.dataset}`}
                    onChange={(e) => props.change("PATCH", `/api/projects/${project.id}`, { strategy: e.currentTarget.value })}
                  >
                    {Object.entries(STRATEGIES).map(([name, what]) => (
                      <option key={name} value={name} title={what}>
                        {name}
                      </option>
                    ))}
                  </select>
                </td>
                <td>
                  <input
                    type="checkbox"
                    checked={project.open}
                    aria-label={`Hand out episodes of ${project.dataset}`}
                    onChange={(e) => props.change("PATCH", `/api/projects/${project.id}`, { open: e.currentTarget.checked })}
                  />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function Invitations(props: { invitations: Invitation[]; reload: () => Promise<void>; change: Change }) {
  const [role, setRole] = useState("rater");
  const [note, setNote] = useState("");
  const [link, setLink] = useState("");
  const [trouble, setTrouble] = useState("");
  const invite = async (event: Event) => {
    event.preventDefault();
    try {
      const { token } = await ask<{ token: string }>("POST", "/api/invitations", { role, note });
      setLink(`${location.origin}/join#${token}`);
      setNote("");
      setTrouble("");
      await props.reload();
    } catch (error) {
      setTrouble((error as Error).message);
    }
  };
  return (
    <section class="card">
      <h2>Invite somebody</h2>
      <Trouble said={trouble} />
      <form class="row" onSubmit={invite}>
        <label>
          as
          <select value={role} onChange={(e) => setRole(e.currentTarget.value)}>
            {ROLES.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
        <label>
          note for yourself
          <input value={note} maxLength={80} onInput={(e) => setNote(e.currentTarget.value)} placeholder="whom it is for" />
        </label>
        <button class="primary">Make a link</button>
      </form>
      {link && <Link link={link} />}
      {props.invitations.length > 0 && (
        <ul class="plain">
          {props.invitations.map((invitation) => (
            <li key={invitation.id}>
              <span class="badge">{invitation.role}</span> {invitation.note || "no note"}
              {invitation.again ? " (signs in again)" : ""}, until {new Date(1000 * invitation.expires).toLocaleDateString()}
              <button type="button" class="quiet" onClick={() => props.change("DELETE", `/api/invitations/${invitation.id}`)}>
                Withdraw
              </button>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function Link(props: { link: string }) {
  return (
    <p class="link">
      <label>
        Send this link; it works once, and is shown only now
        <input class="invitation-link" readOnly value={props.link} onFocus={(e) => e.currentTarget.select()} />
      </label>
      <button type="button" onClick={() => void navigator.clipboard?.writeText(props.link)}>
        Copy
      </button>
    </p>
  );
}

function People(props: { people: Person[]; change: Change }) {
  const [link, setLink] = useState<{ name: string; link: string } | null>(null);
  const renew = async (person: Person) => {
    const { token } = await ask<{ token: string }>("POST", `/api/people/${person.id}/link`);
    setLink({ name: person.name, link: `${location.origin}/join#${token}` });
  };
  const toggle = (person: Person, role: string) => {
    const roles = person.roles.includes(role) ? person.roles.filter((other) => other !== role) : [...person.roles, role];
    if (roles.length) void props.change("PATCH", `/api/people/${person.id}`, { roles });
  };
  return (
    <section class="card">
      <h2>People</h2>
      {link && (
        <div>
          For {link.name}: <Link link={link.link} />
        </div>
      )}
      <div class="scroll">
        <table>
          <thead>
            <tr>
              <th scope="col">name</th>
              <th scope="col">in the data</th>
              <th scope="col">roles</th>
              <th scope="col" class="number">episodes</th>
              <th scope="col" class="number">marks</th>
              <th scope="col" class="number">marks / 5 min</th>
              <th scope="col" class="number">min / episode</th>
              <th scope="col">account</th>
            </tr>
          </thead>
          <tbody>
            {props.people.map((person) => (
              <tr key={person.id} class={person.active ? "" : "closed"}>
                <th scope="row">{person.name}</th>
                <td>
                  <code>{person.pseudonym}</code>
                </td>
                <td>
                  <details class="roles">
                    <summary>{person.roles.join(", ")}</summary>
                    {ROLES.map((role) => (
                      <label key={role}>
                        <input type="checkbox" checked={person.roles.includes(role)} onChange={() => toggle(person, role)} /> {role}
                      </label>
                    ))}
                  </details>
                </td>
                <td class="number">{person.episodes}</td>
                <td class="number">{person.marks}</td>
                <td class="number">{person.marks_per_five_minutes ?? "–"}</td>
                <td class="number">{person.minutes_per_episode ?? "–"}</td>
                <td>
                  <button type="button" class="quiet" onClick={() => renew(person)} disabled={!person.active}>
                    New link
                  </button>
                  <button type="button" class="quiet" onClick={() => props.change("PATCH", `/api/people/${person.id}`, { active: !person.active })}>
                    {person.active ? "Close" : "Open"}
                  </button>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
