// Everybody in the study: roles, projects, consent, how much they have marked; their links, their accounts, their leaving.
import { useState } from "preact/hooks";
import { absolute } from "../address";
import { ask } from "../api";
import { called, ROLES, type Change, type Data, type Person } from "./data";
import { Link } from "./invitations";
import { Removal } from "./removal";
import { Section, Table, type Column } from "./table";

export function People(props: { data: Data; reload: () => Promise<void>; change: Change }) {
  const { data, change } = props;
  const [link, setLink] = useState<{ name: string; link: string } | null>(null);
  const [leaving, setLeaving] = useState("");
  const renew = async (person: Person) => {
    const { token } = await ask<{ token: string }>("POST", `/api/people/${person.id}/link`);
    setLink({ name: person.name, link: absolute(`/join#${token}`) });
  };
  const patch = (person: Person, body: unknown) => change("PATCH", `/api/people/${person.id}`, body);
  const rows = data.people.map((person) => ({
    key: person.id,
    class: person.active ? "" : "closed",
    cells: [
      person.name,
      <code>{person.pseudonym}</code>,
      <Choice named="roles" chosen={person.roles} all={ROLES.map((role) => [role, role])} least={1} onChoose={(roles) => patch(person, { roles })} />,
      ...(data.projects.length > 1
        ? [<Choice named="projects" chosen={person.projects} all={data.projects.map((each) => [each.id, called(each)])} none="all" onChoose={(projects) => patch(person, { projects })} />]
        : []),
      ...(data.consent_version ? [person.consented ? new Date(1000 * person.consented).toLocaleDateString() : "not yet"] : []),
      person.episodes,
      person.marks,
      person.marks_per_five_minutes ?? "–",
      person.minutes_per_episode ?? "–",
      <>
        <button type="button" class="quiet" onClick={() => renew(person)} disabled={!person.active}>
          New link
        </button>
        <button type="button" class="quiet" onClick={() => patch(person, { active: !person.active })}>
          {person.active ? "Close" : "Open"}
        </button>
        <button type="button" class="quiet" onClick={() => setLeaving(person.id)}>
          Delete…
        </button>
      </>,
    ],
  }));
  const columns: (Column | string)[] = [
    "name",
    "in the data",
    "roles",
    ...(data.projects.length > 1 ? ["projects"] : []),
    ...(data.consent_version ? [{ name: "agreed", title: `To version ${data.consent_version} of the consent text` }] : []),
    { name: "episodes", number: true },
    { name: "marks", number: true },
    { name: "marks / 5 min", number: true },
    { name: "min / episode", number: true },
    "account",
  ];
  const gone = data.people.find((person) => person.id === leaving);
  return (
    <Section title="People">
      {link && (
        <div>
          For {link.name}: <Link link={link.link} />
        </div>
      )}
      {gone && <Removal key={gone.id} person={gone} onDone={() => setLeaving("")} reload={props.reload} />}
      <Table name="People" columns={columns} rows={rows} />
    </Section>
  );
}

/** Some of several, behind a summary of those that are chosen. */
function Choice(props: { named: string; chosen: string[]; all: [string, string][]; none?: string; least?: number; onChoose: (chosen: string[]) => void }) {
  const { chosen, all } = props;
  const toggle = (value: string) => {
    const next = chosen.includes(value) ? chosen.filter((other) => other !== value) : [...chosen, value];
    if (next.length >= (props.least ?? 0)) props.onChoose(next);
  };
  const said = all.filter(([value]) => chosen.includes(value)).map(([, name]) => name);
  return (
    <details class="roles">
      <summary>{said.join(", ") || props.none || "none"}</summary>
      {all.map(([value, name]) => (
        <label key={value}>
          <input type="checkbox" checked={chosen.includes(value)} onChange={() => toggle(value)} /> {name}
        </label>
      ))}
    </details>
  );
}
