// The study's projects, one for each dataset: progress of marking, and how episodes go to raters.
import { useState } from "preact/hooks";
import { called, markingOf, type Change, type Project } from "./data";
import { useFocus } from "./focus";
import { NumberSetting } from "./number_setting";
import { Section, Table } from "./table";

const STRATEGIES: Record<string, string> = {
  breadth: "every episode gets its first rater before any gets its second",
  depth: "an episode gets all its raters before the next is begun",
  shuffled: "each rater has an order of their own",
};
const COLUMNS = [
  "project",
  { name: "episodes", number: true },
  "marked",
  { name: "being marked", number: true },
  { name: "in the dataset", number: true },
  { name: "marks / 5 min", number: true },
  "raters each",
  "order",
  { name: "marking", title: "Episodes are given to raters" },
  "settings",
];

export function Projects(props: { projects: Project[]; change: Change }) {
  const { projects, change } = props;
  const [opened, setOpened] = useState("");
  const project = projects.find((each) => each.id === opened);
  const now = (
    <button type="button" class="quiet" onClick={() => change("POST", "/api/export")}>
      Write marks to the datasets now
    </button>
  );
  const mark = (project: Project, body: object) => change("PATCH", markingOf(project), body);
  const rows = projects.map((project) => ({
    key: project.id,
    class: project.open ? "" : "closed",
    cells: [
      <span title={project.dataset}>{called(project)}</span>,
      project.episodes,
      <>
        <progress max={Math.max(1, project.wanted)} value={project.submitted} aria-label={`Marked of ${project.dataset}`} /> {project.submitted} of {project.wanted}
      </>,
      project.begun,
      project.exported,
      project.marks_per_five_minutes ?? "–",
      <NumberSetting value={project.overlap} least={1} label={`Raters for each episode of ${project.dataset}`} onSet={(overlap) => mark(project, { overlap })} />,
      <select value={project.strategy} aria-label={`Order of the episodes of ${project.dataset}`} onChange={(e) => mark(project, { strategy: e.currentTarget.value })}>
        {Object.entries(STRATEGIES).map(([name, what]) => (
          <option key={name} value={name} title={what}>
            {name}
          </option>
        ))}
      </select>,
      <input type="checkbox" checked={project.marking} aria-label={`Hand out episodes of ${project.dataset}`} onChange={(e) => mark(project, { open: e.currentTarget.checked })} />,
      <button type="button" class="quiet" aria-expanded={opened === project.id} onClick={() => setOpened(opened === project.id ? "" : project.id)}>
        Settings
      </button>,
    ],
  }));
  return (
    <Section title="Projects" tools={now}>
      <Table name="Projects" columns={COLUMNS} rows={rows} />
      {project && <Settings key={project.id} project={project} onDone={() => setOpened("")} change={change} />}
    </Section>
  );
}

function Settings(props: { project: Project; change: Change; onDone: () => void }) {
  const { project } = props;
  const form = useFocus<HTMLFormElement>();
  const [title, setTitle] = useState(project.title);
  const [instructions, setInstructions] = useState(project.instructions);
  const [open, setOpen] = useState(project.open);
  const [tolerance, setTolerance] = useState(project.tolerance);
  const [houses, setHouses] = useState(project.place_settings);
  const [options, setOptions] = useState(project.world_options);
  const save = async (event: Event) => {
    event.preventDefault();
    const own = { title, instructions, open, place_settings: houses, world_options: options };
    const done = await props.change("PATCH", `/api/projects/${project.id}`, own);
    if (done && (await props.change("PATCH", markingOf(project), { tolerance }))) props.onDone();
  };
  return (
    <form ref={form} tabIndex={-1} class="settings" onSubmit={save} aria-label={`Settings of ${called(project)}`}>
      <div class="row">
        <label class="grow">
          title, as its people see it
          <input value={title} maxLength={80} placeholder={project.dataset} onInput={(e) => setTitle(e.currentTarget.value)} />
        </label>
        <label title="For agreement, bias and gold episodes: marks at most so many steps apart mean the same moment">
          tolerance in steps
          <input type="number" min={0} max={1000} value={tolerance} onInput={(e) => setTolerance(Number(e.currentTarget.value))} />
        </label>
        <label class="check">
          <input type="checkbox" checked={open} onChange={(e) => setOpen(e.currentTarget.checked)} /> open for work
        </label>
      </div>
      <label>
        instructions for its people, beside the guidelines
        <textarea rows={4} maxLength={20000} value={instructions} onInput={(e) => setInstructions(e.currentTarget.value)} />
      </label>
      <div class="row">
        <label class="grow">
          settings of the houses that people play in, as JSON
          <input value={houses} maxLength={4000} placeholder={'e.g. {"rooms": [1, 1]}'} spellcheck={false} onInput={(e) => setHouses(e.currentTarget.value)} />
        </label>
        <label class="grow">
          options of the world, as JSON
          <input value={options} maxLength={4000} placeholder={'e.g. {"fov_y_deg": 60}'} spellcheck={false} onInput={(e) => setOptions(e.currentTarget.value)} />
        </label>
      </div>
      <p class="hint">Left empty, games take both from the agent that plays, else from the dataset, else from the study's other datasets, else the world's defaults. {project.places}</p>
      <button class="primary">Save</button>
      <button type="button" class="quiet" onClick={props.onDone}>
        Cancel
      </button>
    </form>
  );
}
