// On the study leader's page: the demonstrations that are watched, and the progress.
import { useEffect, useState } from "preact/hooks";
import { ask } from "../api";
import { Trouble } from "../frame";
import { NumberSetting } from "../study/number_setting";
import { Section, Table } from "../study/table";

interface Watched {
  id: string;
  dataset: string;
  title: string;
  overlap: number;
  open: boolean;
  demonstrations: number;
  wanted: number; // answers
  submitted: number;
  begun: number;
  exported: number;
}

const REFRESH_MS = 10_000;
const COLUMNS = [
  "project",
  { name: "demonstrations", number: true, title: "Episodes in which the setter acts for a goal of its own, the solver does nothing, and nobody speaks" },
  "answered",
  { name: "being watched", number: true },
  { name: "in the dataset", number: true },
  { name: "raters each", number: true },
  "handed out",
];

/** The demonstrations of every project; nothing where there are none. */
export function Demonstrations() {
  const [projects, setProjects] = useState<Watched[]>([]);
  const [trouble, setTrouble] = useState("");
  const load = () =>
    ask<{ projects: Watched[]; trouble: string }>("GET", "/api/demonstrations")
      .then((found) => {
        setProjects(found.projects);
        setTrouble(found.trouble);
      })
      .catch((error: Error) => setTrouble(error.message));
  const change = async (project: Watched, body: object) => {
    try {
      await ask("PATCH", `/api/demonstrations/${project.id}`, body);
      await load();
    } catch (error) {
      setTrouble((error as Error).message);
    }
  };
  useEffect(() => {
    void load();
    const timer = setInterval(() => document.visibilityState === "visible" && void load(), REFRESH_MS);
    return () => clearInterval(timer);
  }, []);
  if (projects.length === 0 && !trouble) return null;
  return (
    <Section title="Demonstrations to be watched">
      <Trouble said={trouble} />
      <Table
        name="Demonstrations"
        columns={COLUMNS}
        rows={projects.map((project) => ({
          key: project.id,
          cells: [
            called(project),
            project.demonstrations,
            <>
              <progress max={Math.max(1, project.wanted)} value={project.submitted} aria-label={`Answered of ${called(project)}`} /> {project.submitted} of {project.wanted}
            </>,
            project.begun,
            project.exported,
            <NumberSetting value={project.overlap} least={1} label={`Raters for each demonstration of ${called(project)}`} onSet={(overlap) => change(project, { overlap })} />,
            <input
              type="checkbox"
              checked={project.open}
              aria-label={`Hand out demonstrations of ${called(project)}`}
              onChange={(e) => void change(project, { open: e.currentTarget.checked })}
            />,
          ],
        }))}
      />
    </Section>
  );
}

function called(project: Watched): string {
  return project.title || (project.dataset === "." ? "(the folder itself)" : project.dataset);
}
