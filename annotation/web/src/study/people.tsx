// Everybody in the study: roles, projects, consent, what they have done; links, accounts, and deleting their data.
import { useState } from "preact/hooks";
import { absolute } from "../address";
import { ask } from "../api";
import { Trouble } from "../frame";
import { called, ROLES, type Change, type Data, type Person } from "./data";
import { Link } from "./invitations";
import { Removal } from "./removal";
import { Section, Table, type Column } from "./table";

export function People(props: { data: Data; reload: () => Promise<void>; change: Change }) {
  const { data, change } = props;
  const [link, setLink] = useState<{ name: string; link: string } | null>(null);
  const [leaving, setLeaving] = useState("");
  const [trouble, setTrouble] = useState("");
  const renew = async (person: Person) => {
    setTrouble("");
    try {
      const { token } = await ask<{ token: string }>("POST", `/api/people/${person.id}/link`);
      setLink({ name: person.name, link: absolute(`/join#${token}`) });
    } catch (error) {
      setTrouble((error as Error).message);
    }
  };
  const patch = (person: Person, body: unknown) => change("PATCH", `/api/people/${person.id}`, body);
  const rows = data.people.map((person) => ({
    key: person.id,
    class: person.active ? "" : "closed",
    cells: [
      <>
        {person.name}
        <code class="pseudonym" title="pseudonym in the data">
          {person.pseudonym}
        </code>
      </>,
      <Choice named="roles" chosen={person.roles} all={ROLES.map((role) => [role, role])} least={1} onChoose={(roles) => patch(person, { roles })} />,
      ...(data.projects.length > 1
        ? [<Choice named="projects" chosen={person.projects} all={data.projects.map((each) => [each.id, called(each)])} none="all" onChoose={(projects) => patch(person, { projects })} />]
        : []),
      ...(data.consent_version ? [person.consented ? new Date(1000 * person.consented).toLocaleDateString() : "not yet"] : []),
      person.played || "–",
      person.episodes || "–",
      person.episodes ? person.marks : "–",
      person.marks_per_five_minutes ?? "–",
      person.minutes_per_episode ?? "–",
      person.judged || "–",
      <span class="actions">
        <button type="button" class="quiet" onClick={() => renew(person)} disabled={!person.active}>
          New link
        </button>
        <button type="button" class="quiet" onClick={() => patch(person, { active: !person.active })}>
          {person.active ? "Close" : "Open"}
        </button>
        <button type="button" class="quiet" onClick={() => setLeaving(person.id)}>
          Delete…
        </button>
      </span>,
    ],
  }));
  const columns: (Column | string)[] = [
    { name: "name", title: "With the pseudonym in the data" },
    "roles",
    ...(data.projects.length > 1 ? ["projects"] : []),
    ...(data.consent_version ? [{ name: "agreed", title: `To version ${data.consent_version} of the consent text` }] : []),
    { name: "played", number: true, title: "Recorded episodes in which they played" },
    { name: "marked", number: true, title: "Episodes that they have marked and submitted" },
    { name: "marks", number: true },
    { name: "marks / 5 min", number: true },
    { name: "min / episode", number: true, title: "Minutes of work on an episode that they marked" },
    { name: "judged", number: true, title: "Continuations of a suite that they have judged" },
    "account",
  ];
  const gone = data.people.find((person) => person.id === leaving);
  return (
    <Section title="People">
      <Trouble said={trouble} />
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

/** A choice of several, behind a summary of what is chosen. */
function Choice(props: { named: string; chosen: string[]; all: [string, string][]; none?: string; least?: number; onChoose: (chosen: string[]) => void }) {
  const { chosen, all } = props;
  const toggle = (value: string, box: HTMLInputElement) => {
    box.checked = chosen.includes(value); // until the server has agreed
    props.onChoose(chosen.includes(value) ? chosen.filter((other) => other !== value) : [...chosen, value]);
  };
  const said = all.filter(([value]) => chosen.includes(value)).map(([, name]) => name);
  return (
    <details class="roles">
      <summary>{said.join(", ") || props.none || "none"}</summary>
      {all.map(([value, name]) => (
        <label key={value} title={chosen.includes(value) && chosen.length <= (props.least ?? 0) ? "at least one is needed" : undefined}>
          <input type="checkbox" checked={chosen.includes(value)} disabled={chosen.includes(value) && chosen.length <= (props.least ?? 0)} onChange={(e) => toggle(value, e.currentTarget)} /> {name}
        </label>
      ))}
    </details>
  );
}
