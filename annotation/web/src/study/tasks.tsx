// Items that raters get in other tasks than marking, project by project: progress, and how they are handed out.
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { ask } from "../api";
import { routesOf } from "../bench/task";
import { Trouble } from "../frame";
import { count } from "../words";
import { Interval } from "./charts";
import { called, type AboveChance } from "./data";
import { useFocus } from "./focus";
import { NumberSetting } from "./number_setting";
import { Section, Table, type Column } from "./table";

interface Handed {
  id: string;
  dataset: string;
  title: string;
  overlap: number; // raters for each item
  open: boolean;
  items: number;
  wanted: number; // answers
  submitted: number;
  begun: number;
  exported: number;
}

interface DrawSettings {
  pairs: number;
  clip_seconds: number;
  within_share: number;
  seed: number;
  by_place: boolean;
}

interface Compared extends Handed, DrawSettings {
  agreement: AboveChance & { pairs: number };
}

const REFRESH_MS = 10_000;

/** Projects with items of a task, the trouble with them, and a change, which is true if it was made. */
function useProjects<P extends Handed>(kind: string) {
  const [projects, setProjects] = useState<P[]>([]);
  const [trouble, setTrouble] = useState("");
  const load = () =>
    ask<{ projects: P[]; trouble: string }>("GET", `${routesOf(kind)}/projects`)
      .then((found) => {
        setProjects(found.projects);
        setTrouble(found.trouble);
      })
      .catch((error: Error) => setTrouble(error.message));
  const change = async (project: P, body: object): Promise<boolean> => {
    try {
      await ask("PATCH", `${routesOf(kind)}/projects/${project.id}`, body);
    } catch (error) {
      setTrouble((error as Error).message);
      return false;
    }
    await load();
    return true;
  };
  useEffect(() => {
    void load();
    const timer = setInterval(() => document.visibilityState === "visible" && void load(), REFRESH_MS);
    return () => clearInterval(timer);
  }, []);
  return { projects, trouble, change };
}

/** Cells of a project that every table has. */
function progressOf(project: Handed, done: string): ComponentChildren[] {
  return [
    called(project),
    project.items,
    <>
      <progress max={Math.max(1, project.wanted)} value={Math.min(project.submitted, project.wanted)} aria-label={`${done} of ${called(project)}`} /> {project.submitted} of{" "}
      {project.wanted}
    </>,
    project.begun,
    project.exported,
  ];
}

interface Words {
  kind: string;
  title: string;
  name: string; // of the table, and of what is handed out
  one: string; // an item
  project: string;
  item: string | Column;
  done: string;
  begun: string;
  who: string;
}

const SUITES: Words = {
  kind: "judging",
  title: "Test suites to be judged",
  name: "continuations",
  one: "continuation",
  project: "dataset",
  item: { name: "continuations", number: true },
  done: "judged",
  begun: "being judged",
  who: "judges",
};
const DEMONSTRATIONS: Words = {
  kind: "inferring",
  title: "Demonstrations to be watched",
  name: "demonstrations",
  one: "demonstration",
  project: "project",
  item: { name: "demonstrations", number: true, title: "Episodes in which the setter acts for a goal of its own, the solver does nothing, and nobody speaks" },
  done: "answered",
  begun: "being watched",
  who: "raters",
};

export const Suites = () => <HandedOut {...SUITES} />;
export const Demonstrations = () => <HandedOut {...DEMONSTRATIONS} />;

/** Items of every project; nothing where there are none. */
function HandedOut(words: Words) {
  const { projects, trouble, change } = useProjects<Handed>(words.kind);
  if (projects.length === 0 && !trouble) return null;
  const columns = [words.project, words.item, words.done, { name: words.begun, number: true }, { name: "in the dataset", number: true }, `${words.who} each`, "handed out"];
  return (
    <Section title={words.title}>
      <Trouble said={trouble} />
      <Table
        name={words.title}
        columns={columns}
        rows={projects.map((project) => ({
          key: project.id,
          cells: [
            ...progressOf(project, capital(words.done)),
            <NumberSetting value={project.overlap} least={1} label={`${capital(words.who)} for each ${words.one} of ${called(project)}`} onSet={(overlap) => change(project, { overlap })} />,
            <input
              type="checkbox"
              checked={project.open}
              aria-label={`Hand out ${words.name} of ${called(project)}`}
              onChange={(e) => void change(project, { open: e.currentTarget.checked })}
            />,
          ],
        }))}
      />
    </Section>
  );
}

const CLIPS = [
  "project",
  { name: "pairs", number: true, title: "Pairs of clips that are drawn" },
  "compared",
  { name: "being compared", number: true },
  { name: "in the dataset", number: true },
  { name: "agreement", title: "Of two raters' answers to one pair, those that are the same; “cannot tell” does not count. Intervals are of 95%, by resampling pairs; the tick is the level of chance." },
  { name: "raters each", number: true },
  "settings",
];

/** Clips of every project that are compared, and the settings of the draw. */
export function Comparisons() {
  const { projects, trouble, change } = useProjects<Compared>("comparing");
  const [opened, setOpened] = useState("");
  if (projects.length === 0 && !trouble) return null;
  const project = projects.find((each) => each.id === opened);
  return (
    <Section title="Clips to be compared">
      <Trouble said={trouble} />
      <Table
        name="Clips to be compared"
        columns={CLIPS}
        rows={projects.map((each) => ({
          key: each.id,
          class: each.open ? "" : "closed",
          cells: [
            ...progressOf(each, "Compared"),
            <Agreement of={each.agreement} />,
            each.overlap,
            <button type="button" class="quiet" aria-expanded={opened === each.id} aria-label={`Settings of the clips of ${each.dataset}`} onClick={() => setOpened(opened === each.id ? "" : each.id)}>
              Settings
            </button>,
          ],
        }))}
      />
      {projects.filter((each) => each.items < each.pairs).map((each) => (
        <p key={each.id} class="hint">
          {called(each)}: {count(each.items, "pair")} of {each.pairs} could be drawn.{" "}
          {each.by_place
            ? "There are no more places in which two players have played."
            : `There is no more play of ${each.clip_seconds} seconds under one request; shorter clips, or more episodes, give more.`}
        </p>
      ))}
      {project && <DrawForm key={project.id} project={project} save={async (settings) => void ((await change(project, settings)) && setOpened(""))} onDone={() => setOpened("")} />}
    </Section>
  );
}

function Agreement(props: { of: Compared["agreement"] }) {
  const { value, low, pairs } = props.of;
  if (value === null) return <span class="hint">–</span>;
  return (
    <span title={`${count(pairs, "pair")} with several raters`}>
      {low === null ? `${Math.round(100 * value)}%, one pair` : <Interval estimate={props.of} low={0} high={1} zero={props.of.chance ?? 0} percent />}
    </span>
  );
}

type ClipSettings = DrawSettings & Pick<Handed, "overlap" | "open">;

function DrawForm(props: { project: Compared; save: (settings: ClipSettings) => Promise<void>; onDone: () => void }) {
  const { pairs, clip_seconds, within_share, seed, by_place, overlap, open } = props.project;
  const form = useFocus<HTMLFormElement>();
  const [settings, setSettings] = useState<ClipSettings>({ pairs, clip_seconds, within_share, seed, by_place, overlap, open });
  const set = (part: Partial<ClipSettings>) => setSettings({ ...settings, ...part });
  const number = (name: string, value: number, least: number, most: number, step: number | "any", onValue: (value: number) => void, title: string) => (
    <label title={title}>
      {name}
      <input type="number" min={least} max={most} step={step} value={value} required onInput={(e) => onValue(Number(e.currentTarget.value))} />
    </label>
  );
  const save = async (event: Event) => {
    event.preventDefault();
    await props.save(settings);
  };
  return (
    <form ref={form} tabIndex={-1} class="settings" onSubmit={save} aria-label={`Settings of the clips of ${called(props.project)}`}>
      <div class="row">
        {number("pairs of clips", settings.pairs, 0, 10_000, 1, (pairs) => set({ pairs }), "0: no clips of this project are compared")}
        {number("seconds of a clip", settings.clip_seconds, 0.5, 60, "any", (clip_seconds) => set({ clip_seconds }), "People compare clips of one or two seconds fastest; what is asked takes longer to do")}
        {number("% within one episode", Math.round(100 * settings.within_share), 0, 100, 1, (percent) => set({ within_share: percent / 100 }), "The clips of other pairs are of two episodes, under the same request")}
        {number("raters each", settings.overlap, 1, 1000, 1, (overlap) => set({ overlap }), "Two or more show how far raters agree")}
        {number("seed of the draw", settings.seed, 0, 2 ** 31 - 1, 1, (seed) => set({ seed }), "The same seed draws the same pairs of the same episodes")}
        <label class="check" title="Pairs are whole episodes of two players in the same place; seconds and % do not count">
          <input type="checkbox" checked={settings.by_place} onChange={(e) => set({ by_place: e.currentTarget.checked })} /> two players in one place
        </label>
        <label class="check">
          <input type="checkbox" checked={settings.open} onChange={(e) => set({ open: e.currentTarget.checked })} /> handed out
        </label>
      </div>
      <p class="hint">Pairs that a rater has opened stay. Another length, share, seed or choice of places draws all others again.</p>
      <button class="primary">Save</button>
      <button type="button" class="quiet" onClick={props.onDone}>
        Cancel
      </button>
    </form>
  );
}

function capital(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}
