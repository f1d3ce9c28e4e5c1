// The study leader's page, in tabs: projects and people, progress, submissions, agreement, gold episodes, consent.
import { useEffect, useRef, useState } from "preact/hooks";
import { ApiError, ask, me, untilAnswered, type Me } from "./api";
import { Frame, Trouble } from "./frame";
import { Agreement } from "./study/agreement";
import { ConsentText } from "./study/consent";
import type { Change, Data } from "./study/data";
import { Gold } from "./study/gold";
import { Invitations } from "./study/invitations";
import { People } from "./study/people";
import { Progress } from "./study/progress";
import { Projects } from "./study/projects";
import { Submissions } from "./study/submissions";
import { Comparisons, Demonstrations, Suites } from "./study/tasks";
import { NewDataset } from "./playing/dataset";

const TABS: [string, string][] = [
  ["", "Projects and people"],
  ["progress", "Progress"],
  ["submissions", "Submitted"],
  ["agreement", "Agreement"],
  ["gold", "Gold episodes"],
  ["consent", "Consent"],
];
const OF_PROJECTS = ["progress", "submissions", "agreement", "gold"]; // tabs that show one project
const REFRESH_MS = 10_000;

export function Study() {
  const [person, setPerson] = useState<Me | null>(null);
  const [data, setData] = useState<Data | null>(null);
  const [trouble, setTrouble] = useState(""); // why the page cannot be loaded
  const [refusal, setRefusal] = useState(""); // why the last change was not made
  const leads = useRef(false);
  const [tab, setTab] = useState(location.hash.slice(1));

  const load = () =>
    ask<Data>("GET", "/api/study")
      .then((found) => {
        setData(found);
        setTrouble("");
      })
      .catch((error: Error) => setTrouble(error.message));
  const change: Change = async (method, path, body) => {
    let done = true;
    try {
      await ask(method, path, body);
      setRefusal("");
    } catch (error) {
      setRefusal((error as Error).message);
      done = false;
    }
    await load(); // after a refusal, too: the page shows the present state
    return done;
  };

  useEffect(() => {
    untilAnswered(me, setTrouble)
      .then((found) => {
        leads.current = found.roles.includes("admin");
        setPerson(found);
        return leads.current ? load() : setTrouble("This page is for the study's leaders.");
      })
      .catch((error: ApiError) => (error.status === 401 ? location.replace("./") : setTrouble(error.message)));
    const timer = setInterval(() => leads.current && document.visibilityState === "visible" && void load(), REFRESH_MS);
    const turned = () => setTab(location.hash.slice(1));
    addEventListener("hashchange", turned);
    return () => {
      clearInterval(timer);
      removeEventListener("hashchange", turned);
    };
  }, []);

  if (person && !leads.current)
    return (
      <Frame title="Run the study" me={person}>
        <Trouble said={trouble} />
        <p>
          <a href="./">To the first page</a>
        </p>
      </Frame>
    );
  return (
    <Frame title="Run the study" me={person} wide>
      <div class="study">
        <nav class="tabs" aria-label="Parts of the study">
          {TABS.map(([hash, name]) => (
            <a key={hash} href={`#${hash}`} aria-current={tab === hash ? "page" : undefined}>
              {name}
            </a>
          ))}
        </nav>
        <Trouble said={trouble} />
        {refusal && (
          <div class="trouble refusal" role="alert">
            <span>{refusal}</span>
            <button type="button" class="quiet" onClick={() => setRefusal("")}>
              Close
            </button>
          </div>
        )}
        {data?.dataset_troubles.map((said) => <Trouble key={said} said={`A dataset cannot be read, so nobody gets its episodes: ${said}`} />)}
        {data?.export_trouble && <Trouble said={`Marks wait to be written to their dataset: ${data.export_trouble}`} />}
        {data && data.removals > 0 && (
          <p class="card" role="status">
            The data of {data.removals === 1 ? "one person" : `${data.removals} people`} is being deleted… {data.removal_trouble}
          </p>
        )}
        {data && <Part tab={tab} data={data} reload={load} change={change} />}
      </div>
    </Frame>
  );
}

function Part(props: { tab: string; data: Data; reload: () => Promise<void>; change: Change }) {
  const { tab, data, reload, change } = props;
  if (data.projects.length === 0 && OF_PROJECTS.includes(tab))
    return (
      <p class="card">
        There is no dataset yet. Make one under <a href="#">Projects and people</a>.
      </p>
    );
  if (tab === "progress") return <Progress data={data} />;
  if (tab === "submissions") return <Submissions data={data} reload={reload} />;
  if (tab === "agreement") return <Agreement data={data} />;
  if (tab === "gold") return <Gold data={data} change={change} />;
  if (tab === "consent") return <ConsentText data={data} reload={reload} />;
  return (
    <>
      {data.projects.length === 0 && <NewDataset first onMade={reload} />}
      <Projects projects={data.projects} change={change} />
      <Suites />
      <Comparisons />
      <Demonstrations />
      <Invitations data={data} reload={reload} change={change} />
      <People data={data} reload={reload} change={change} />
    </>
  );
}
