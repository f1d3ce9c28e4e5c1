// The lobby: games that wait for players, and new games.
import { useEffect, useState } from "preact/hooks";
import { ApiError, ask, me, untilAnswered, type Me } from "../api";
import { Frame, Trouble } from "../frame";
import { NewDataset } from "./dataset";
import { knowsKeys, rememberKeys } from "./tutorial";
import { duration, KINDS, NAMES, type Game, type Kind, type Role } from "./view";

interface Data {
  parts: Role[];
  kinds: Partial<Record<Kind, Role[]>>;
  projects: Project[];
  agents: { name: string; image: Size }[];
  seconds: number;
  games: Game[];
}

type Size = [height: number, width: number];

interface Project {
  id: string;
  dataset: string;
  image: Size | null; // of its pictures; null where nothing is recorded yet, or no pictures
  taught_by: string | null; // world whose tutorial teaches the keys; "" for the Playhouse's, null where there are none
  helped: boolean; // its world has helpers
  places: string; // a sentence on which houses are played in games without an agent
  with_agents: Record<string, { places: string; trouble: string }>; // by agent; trouble: why it cannot play there
}

const REFRESH_MS = 2_000;

export function Lobby() {
  const [person, setPerson] = useState<Me | null>(null);
  const [data, setData] = useState<Data | null>(null);
  const [trouble, setTrouble] = useState("");
  const [lost, setLost] = useState(""); // why the games cannot be loaded now
  const [, setSkipped] = useState(0);
  const [busy, setBusy] = useState(false);
  const [unanswered, setUnanswered] = useState(false); // whether a start or a joining had no answer, and may have been done

  const load = () =>
    ask<Data>("GET", "/api/play")
      .then((found) => {
        setData(found);
        setLost("");
      })
      .catch((error: Error) => setLost(error.message));
  useEffect(() => {
    untilAnswered(me, setTrouble)
      .then(setPerson)
      .then(load)
      .catch((error: ApiError) => (error.status === 401 ? location.replace("./") : setTrouble(error.message)));
    const timer = setInterval(() => document.visibilityState === "visible" && void load(), REFRESH_MS);
    return () => clearInterval(timer);
  }, []);

  /** Start or join, then go to the game. */
  const enter = async (path: string, body?: unknown, id?: string) => {
    setBusy(true);
    setTrouble("");
    try {
      const made = await ask<{ id?: string }>("POST", path, body);
      location.assign(`play#${id ?? made.id}`);
    } catch (error) {
      setTrouble((error as Error).message);
      setUnanswered(error instanceof ApiError && error.status === 0);
      setBusy(false);
    }
  };
  const leave = (game: Game) => ask("POST", `/api/play/games/${game.id}/leave`).then(load, (error: Error) => setTrouble(error.message));
  const mine = data?.games.find((game) => game.role !== null);
  useEffect(() => {
    if (unanswered && mine) location.assign(`play#${mine.id}`);
  }, [unanswered, mine?.id]);
  const open = data?.games.filter((game) => game.role === null && game.free.length > 0) ?? [];
  const bodies = data?.projects.length ? [...new Set(data.projects.map((project) => project.taught_by))].filter((body) => body !== null) : [""];
  const knows = (taughtBy: string | null) => taughtBy === null || (person !== null && knowsKeys(person, taughtBy));
  const locked = (project?: Project) => busy || mine !== undefined || !knows(project ? project.taught_by : "");
  return (
    <Frame title="Play" me={person}>
      <Trouble said={trouble || lost} />
      {!data && !trouble && !lost && <p role="status">Loading the games…</p>}
      {data && person && (
        <>
          {mine && <Mine game={mine} onLeave={() => void leave(mine)} />}
          {bodies.map((taughtBy) => (
            <Learn
              key={taughtBy}
              world={taughtBy}
              alone={bodies.length === 1}
              knows={knows(taughtBy)}
              disabled={busy || mine !== undefined}
              onStart={() => void enter("/api/play/tutorial", { project: taughtBy ? data.projects.find((project) => project.taught_by === taughtBy)?.id : null })}
              onSkip={() => {
                rememberKeys(person, taughtBy);
                setSkipped((times) => times + 1);
              }}
            />
          ))}
          <section class="card">
            <h2>Waiting for players</h2>
            {open.length === 0 && <p class="hint">Nobody is waiting now. Start a game: a player who starts the same kind of game in the other role joins you.</p>}
            {open.length > 0 && (
              <ul class="plain games">
                {open.map((game) => (
                  <li key={game.id}>
                    <span>
                      <strong>{KINDS[game.kind].name}</strong> <span class="hint">into {named(game.dataset)}{game.prompted ? "" : ", free-form"}</span>
                    </span>
                    {game.free.map((role) => (
                      <button key={role} type="button" class="primary" disabled={locked(data.projects.find((project) => project.dataset === game.dataset))} onClick={() => void enter(`/api/play/games/${game.id}/join`, { role }, game.id)}>
                        Join as {NAMES[role]}
                      </button>
                    ))}
                  </li>
                ))}
              </ul>
            )}
          </section>
          {data.projects.length > 0 && <Start data={data} locked={locked} onStart={(request) => void enter("/api/play/games", request)} />}
          {data.projects.length === 0 && !person.roles.includes("admin") && <p>There is no dataset to play into yet. The study's leader has to make one.</p>}
          {person.roles.includes("admin") && <NewDataset first={data.projects.length === 0} onMade={load} />}
        </>
      )}
    </Frame>
  );
}

/** A sentence on which houses a game is played in. Of an agent that is drawn by chance it is not known yet. */
function placesOf(kind: Kind, agent: string, project?: Project): string {
  if (!project || !Object.values(KINDS[kind].cast).includes("agent")) return project?.places ?? "";
  if (kind !== "evaluation" && agent) return project.with_agents[agent]?.places ?? "";
  return "Houses in which the agent that is drawn learned, unless the study's leader has set others.";
}

function pixels(size: Size): string {
  return `${size[0]}x${size[1]}`;
}

function named(dataset: string): string {
  return dataset === "." ? "the study's dataset" : dataset;
}

function Mine(props: { game: Game; onLeave: () => void }) {
  const { game } = props;
  return (
    <section class="card mine">
      <h2>You are in a game</h2>
      <p>
        {game.dataset ? KINDS[game.kind].name : "Learn the keys"}, as {game.role && NAMES[game.role]}: {game.state}
      </p>
      <div class="row">
        <a class="button primary" href={`play#${game.id}`}>
          Return to it
        </a>
        <button type="button" onClick={props.onLeave}>
          Leave it
        </button>
      </div>
    </section>
  );
}

/** The way to the tutorial of one body; `alone`: there are no others. */
function Learn(props: { world: string; alone: boolean; knows: boolean; disabled: boolean; onStart: () => void; onSkip: () => void }) {
  const where = props.alone ? "" : ` in ${props.world || "the Playhouse"}`;
  return (
    <section class={`card ${props.knows ? "known" : ""}`}>
      {props.knows ? (
        <button type="button" class="quiet" disabled={props.disabled} onClick={props.onStart}>
          Learn the keys again{where}
        </button>
      ) : (
        <>
          <h2>Before your first game{where}</h2>
          <p>{props.world ? "Press each key once. It takes a minute; nothing is recorded." : "Learn to look, walk, grab and speak. It takes two minutes; nothing is recorded."}</p>
          <div class="row">
            <button type="button" class="primary" disabled={props.disabled} onClick={props.onStart}>
              Learn the keys
            </button>
            <button type="button" class="quiet" onClick={props.onSkip}>
              I know them already
            </button>
          </div>
        </>
      )}
    </section>
  );
}

interface GameRequest {
  project: string;
  kind: Kind;
  role: Role;
  prompted: boolean;
  challenge: boolean;
  agent: string;
}

/** What a setter is prompted with: a kind of request, the same but hard for the other player, or nothing. */
type Prompting = "prompted" | "challenge" | "free";

function Start(props: { data: Data; locked: (project?: Project) => boolean; onStart: (request: GameRequest) => void }) {
  const { data } = props;
  const withAgents = (kind: Kind) => Object.values(KINDS[kind].cast).includes("agent");
  const kinds = (Object.keys(data.kinds) as Kind[]).filter((kind) => data.agents.length > 0 || !withAgents(kind));
  const projects = (kind: Kind) => data.projects.filter((each) => each.helped || kind !== "helped");
  const [kind, setKind] = useState<Kind>(kinds[0] ?? "human-human");
  const [role, setRole] = useState<Role | null>(null);
  const [wished, setProject] = useState("");
  const [agent, setAgent] = useState("");
  const [prompting, setPrompting] = useState<Prompting>("prompted");
  const project = (projects(kind).find((each) => each.id === wished) ?? projects(kind)[0])?.id ?? "";
  const roles = data.kinds[kind] ?? [];
  const played = role && roles.includes(role) ? role : roles[0];
  const size = data.projects.find((each) => each.id === project)?.image ?? null;
  const fits = (each: { image: Size }) => size === null || String(each.image) === String(size);
  const chosen = data.projects.find((each) => each.id === project);
  const partner = agent || (data.agents.length === 1 ? data.agents[0]!.name : ""); // "" is drawn by chance
  const known = withAgents(kind) && kind !== "evaluation" ? chosen?.with_agents[partner] : undefined;
  const places = placesOf(kind, partner, chosen);
  const clash = withAgents(kind) && size !== null && !data.agents.some((each) => fits(each) && (!agent || kind === "evaluation" || each.name === agent));
  const start = (event: Event) => {
    event.preventDefault();
    if (played) props.onStart({ project, kind, role: played, prompted: prompting !== "free", challenge: prompting === "challenge", agent: kind === "evaluation" ? "" : agent });
  };
  if (kinds.length === 0) return null;
  return (
    <form class="card start" onSubmit={start}>
      <h2>Start a game ({duration(data.seconds)})</h2>
      <fieldset>
        <legend class="hint">Who plays</legend>
        {kinds.map((each) => (
          <label key={each} class="choice">
            <input type="radio" name="kind" checked={each === kind} onChange={() => setKind(each)} />
            <span>
              <strong>{KINDS[each].name}</strong> <span class="hint">{KINDS[each].what}</span>
            </span>
          </label>
        ))}
      </fieldset>
      {data.agents.length === 0 && <p class="hint">There is no agent to play with yet. The study's leader names agents with <code>rlhf serve --agents</code>, or trains one in the study's folder.</p>}
      <div class="row">
        {roles.length > 1 && (
          <label>
            you are the
            <select value={played} onChange={(event) => setRole(event.currentTarget.value as Role)}>
              {roles.map((each) => (
                <option key={each} value={each}>
                  {NAMES[each]}
                </option>
              ))}
            </select>
          </label>
        )}
        {withAgents(kind) && kind !== "evaluation" && (
          <label>
            agent
            <select value={agent} onChange={(event) => setAgent(event.currentTarget.value)}>
              <option value="">by chance</option>
              {data.agents.map((each) => (
                <option key={each.name} value={each.name} disabled={!fits(each)}>
                  {each.name}
                  {!fits(each) && ` (sees ${pixels(each.image)})`}
                </option>
              ))}
            </select>
          </label>
        )}
        <label>
          {kind === "practice-setting" ? "world of the dataset" : "into the dataset"}
          <select value={project} onChange={(event) => setProject(event.currentTarget.value)}>
            {projects(kind).map((each) => (
              <option key={each.id} value={each.id}>
                {named(each.dataset)}
              </option>
            ))}
          </select>
        </label>
        {played === "setter" && kind !== "helped" && (
          <label>
            the setter (you)
            <select value={prompting} onChange={(event) => setPrompting(event.currentTarget.value as Prompting)}>
              <option value="prompted">is prompted with what to ask</option>
              <option value="challenge">is prompted to challenge the solver</option>
              <option value="free">asks anything</option>
            </select>
          </label>
        )}
      </div>
      {clash && size && (
        <p class="trouble" role="alert">
          This dataset holds pictures of {pixels(size)} pixels; {agent && kind !== "evaluation" ? agent : data.agents.length === 1 ? "the agent" : "every agent"} sees{" "}
          {[...new Set(data.agents.filter((each) => !agent || kind === "evaluation" || each.name === agent).map((each) => pixels(each.image)))].join(" or ")}. Choose another dataset or agent.
        </p>
      )}
      {known?.trouble && !clash && (
        <p class="trouble" role="alert">
          {known.trouble}
        </p>
      )}
      {places && <p class="hint places">{places}</p>}
      <p>
        <button class="primary" disabled={props.locked(chosen) || clash || !!known?.trouble}>
          Start
        </button>
      </p>
    </form>
  );
}
