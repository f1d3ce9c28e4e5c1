// Invitations: links for people who are to take part.
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { absolute } from "../address";
import { ask } from "../api";
import { Copied, Trouble } from "../frame";
import { called, ROLES, type Change, type Data } from "./data";
import { Section } from "./table";

export function Invitations(props: { data: Data; reload: () => Promise<void>; change: Change }) {
  const { data } = props;
  const [role, setRole] = useState("rater");
  const [note, setNote] = useState("");
  const [project, setProject] = useState("");
  const [link, setLink] = useState("");
  const [trouble, setTrouble] = useState("");
  const invite = async (event: Event) => {
    event.preventDefault();
    try {
      const { token } = await ask<{ token: string }>("POST", "/api/invitations", { role, note, projects: project ? [project] : [] });
      setLink(absolute(`/join#${token}`));
      setNote("");
      setTrouble("");
      await props.reload();
    } catch (error) {
      setTrouble((error as Error).message);
    }
  };
  const names = (ids: string[]) => data.projects.filter((each) => ids.includes(each.id)).map(called);
  return (
    <Section title="Invite people">
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
        {data.projects.length > 1 && (
          <label>
            for
            <select value={project} onChange={(e) => setProject(e.currentTarget.value)}>
              <option value="">every project</option>
              {data.projects.map((each) => (
                <option key={each.id} value={each.id}>
                  {called(each)}
                </option>
              ))}
            </select>
          </label>
        )}
        <label>
          note, only for you
          <input value={note} maxLength={80} onInput={(e) => setNote(e.currentTarget.value)} placeholder="for whom it is" />
        </label>
        <button class="primary">Make a link</button>
      </form>
      {link && <Link link={link} />}
      {data.invitations.length > 0 && (
        <ul class="plain">
          {data.invitations.map((invitation) => (
            <li key={invitation.id}>
              <span class="badge">{invitation.role}</span> {invitation.note || "no note"}
              {invitation.again ? " (to sign in again)" : ""}
              {invitation.projects.length > 0 && `, for ${names(invitation.projects).join(", ")}`}, until {new Date(1000 * invitation.expires).toLocaleDateString()}
              <button type="button" class="quiet" onClick={() => props.change("DELETE", `/api/invitations/${invitation.id}`)}>
                Withdraw
              </button>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

export function Link(props: { link: string }) {
  const line = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => line.current?.focus(), [props.link]);
  return (
    <p class="link">
      <label>
        Send this link. It works once, and is shown only now.
        <input ref={line} class="invitation-link" readOnly value={props.link} onFocus={(e) => e.currentTarget.select()} />
      </label>
      <Copied text={props.link} />
    </p>
  );
}
