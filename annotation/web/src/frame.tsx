// The frame of every page: a line with its title and the person who is signed in.
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { ask, type Me } from "./api";

export function Frame(props: { title: string; me?: Me | null; status?: ComponentChildren; wide?: boolean; children: ComponentChildren }) {
  useEffect(() => {
    document.title = `${props.title} - interactive-rlhf`;
  }, [props.title]);
  return (
    <>
      <header class="top">
        <a class="brand" href="./">
          interactive-rlhf
        </a>
        <h1>{props.title}</h1>
        <div class="top-status">{props.status}</div>
        {props.me && <Account me={props.me} />}
      </header>
      <main class={props.wide ? "wide" : "narrow"}>{props.children}</main>
    </>
  );
}

function Account(props: { me: Me }) {
  const leave = async () => {
    await ask("POST", "/api/sign-out").catch(() => undefined);
    location.assign("./");
  };
  return (
    <div class="account">
      <span title={`In datasets you are ${props.me.id}`}>{props.me.name}</span>
      <button type="button" class="quiet" onClick={leave}>
        Sign out
      </button>
    </div>
  );
}

export function Trouble(props: { said: string }) {
  return props.said ? (
    <p class="trouble" role="alert">
      {props.said}
    </p>
  ) : null;
}

/** A button that copies a text and says so. Browsers let pages copy only on https and on this machine; elsewhere there is none. */
export function Copied(props: { text: string }) {
  const [copied, setCopied] = useState("");
  if (!navigator.clipboard) return null;
  return (
    <button type="button" onClick={() => void navigator.clipboard.writeText(props.text).then(() => setCopied(props.text))}>
      <span role="status">{copied === props.text ? "Copied" : "Copy"}</span>
    </button>
  );
}
