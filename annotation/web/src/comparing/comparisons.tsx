// On the study leader's page: of which projects clips are compared, the progress, and how far raters agree.
import { useEffect, useState } from "preact/hooks";
import { ask } from "../api";
import { Trouble } from "../frame";
import { Interval } from "../study/charts";
import type { AboveChance } from "../study/data";
import { useFocus } from "../study/focus";
import { Section, Table } from "../study/table";
import { count } from "../words";

interface Settings {
  pairs: number;
  clip_seconds: number;
  within_share: number;
  seed: number;
  overlap: number;
  open: boolean;
}

interface Compared extends Settings {
  id: string;
  dataset: string;
  title: string;
  drawn: number;
  wanted: number; // answers
  submitted: number;
  begun: number;
  exported: number;
  agreement: AboveChance & { pairs: number };
}

const REFRESH_MS = 10_000;
const COLUMNS = [
  "project",
  { name: "pairs", number: true, title: "Pairs of clips that are drawn" },
  "compared",
  { name: "being compared", number: true },
  { name: "in the dataset", number: true },
  { name: "agreement", title: "Of two raters' answers to one pair, those that are the same; “cannot tell” does not count. Intervals are of 95%, by resampling pairs; the tick is the level of chance." },
  { name: "raters each", number: true },
  "settings",
];

export function Comparisons() {
  const [projects, setProjects] = useState<Compared[]>([]);
  const [trouble, setTrouble] = useState("");
  const [opened, setOpened] = useState("");
  const load = () =>
    ask<{ projects: Compared[]; trouble: string }>("GET", "/api/comparisons")
      .then((found) => {
        setProjects(found.projects);
        setTrouble(found.trouble);
      })
      .catch((error: Error) => setTrouble(error.message));
  useEffect(() => {
    void load();
    const timer = setInterval(() => document.visibilityState === "visible" && void load(), REFRESH_MS);
    return () => clearInterval(timer);
  }, []);
  const save = async (project: Compared, settings: Settings) => {
    try {
      await ask("PATCH", `/api/comparisons/${project.id}`, settings);
      setOpened("");
      await load();
    } catch (error) {
      setTrouble((error as Error).message);
    }
  };
  if (projects.length === 0 && !trouble) return null;
  const project = projects.find((each) => each.id === opened);
  return (
    <Section title="Clips to be compared">
      <Trouble said={trouble} />
      <Table
        name="Clips to be compared"
        columns={COLUMNS}
        rows={projects.map((each) => ({
          key: each.id,
          class: each.open ? "" : "closed",
          cells: [
            called(each),
            each.drawn,
            <>
              <progress max={Math.max(1, each.wanted)} value={Math.min(each.submitted, each.wanted)} aria-label={`Compared of ${each.dataset}`} /> {each.submitted} of {each.wanted}
            </>,
            each.begun,
            each.exported,
            <Agreement of={each.agreement} />,
            each.overlap,
            <button type="button" class="quiet" aria-expanded={opened === each.id} aria-label={`Settings of the clips of ${each.dataset}`} onClick={() => setOpened(opened === each.id ? "" : each.id)}>
              Settings
            </button>,
          ],
        }))}
      />
      {projects.filter((each) => each.drawn < each.pairs).map((each) => (
        <p key={each.id} class="hint">
          {called(each)}: {count(each.drawn, "pair")} of {each.pairs} could be drawn. There is no more play of {each.clip_seconds} seconds under one request; shorter clips, or more episodes, give more.
        </p>
      ))}
      {project && <SettingsForm key={project.id} project={project} save={(settings) => save(project, settings)} onDone={() => setOpened("")} />}
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

function SettingsForm(props: { project: Compared; save: (settings: Settings) => Promise<void>; onDone: () => void }) {
  const { project } = props;
  const form = useFocus<HTMLFormElement>();
  const [settings, setSettings] = useState<Settings>({
    pairs: project.pairs,
    clip_seconds: project.clip_seconds,
    within_share: project.within_share,
    seed: project.seed,
    overlap: project.overlap,
    open: project.open,
  });
  const set = (part: Partial<Settings>) => setSettings({ ...settings, ...part });
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
    <form ref={form} tabIndex={-1} class="settings" onSubmit={save} aria-label={`Settings of the clips of ${called(project)}`}>
      <div class="row">
        {number("pairs of clips", settings.pairs, 0, 10_000, 1, (pairs) => set({ pairs }), "0: no clips of this project are compared")}
        {number("seconds of a clip", settings.clip_seconds, 0.5, 60, "any", (clip_seconds) => set({ clip_seconds }), "People compare clips of one or two seconds fastest; what is asked takes longer to do")}
        {number("% within one episode", Math.round(100 * settings.within_share), 0, 100, 1, (percent) => set({ within_share: percent / 100 }), "The clips of other pairs are of two episodes, under the same request")}
        {number("raters each", settings.overlap, 1, 1000, 1, (overlap) => set({ overlap }), "Two or more show how far raters agree")}
        {number("seed of the draw", settings.seed, 0, 2 ** 31 - 1, 1, (seed) => set({ seed }), "The same seed draws the same pairs of the same episodes")}
        <label class="check">
          <input type="checkbox" checked={settings.open} onChange={(e) => set({ open: e.currentTarget.checked })} /> handed out
        </label>
      </div>
      <p class="hint">Pairs that a rater has opened stay. Another length, share or seed draws all others again.</p>
      <button class="primary">Save</button>
      <button type="button" class="quiet" onClick={props.onDone}>
        Cancel
      </button>
    </form>
  );
}

function called(project: Compared): string {
  return project.title || (project.dataset === "." ? "(the folder itself)" : project.dataset);
}
