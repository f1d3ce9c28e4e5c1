// The sheet over the picture while the game is not being played: the reason, the time left, and what the player can do.
import type { ComponentChildren } from "preact";
import { absolute } from "../address";
import { Copied, Trouble } from "../frame";
import type { Link } from "./connection";
import { Requests } from "./panels";
import { Rating, type Ratings } from "./rating";
import { clock, duration, isOver, KINDS, NAMES, outcome, type About, type Role, type Said, type View } from "./view";

interface Props {
  about: About;
  view: View | null;
  link: Link;
  onDo: (event: string) => void;
  onJudge: (step: number, said: Said) => void;
  onRate: (ratings: Ratings) => void;
}

export function Situation(props: Props) {
  const { about, view, link } = props;
  const over = isOver(view);
  if (link.state === "lost" && !over)
    return (
      <Sheet title="Your connection is lost">
        <p>Connecting again… The game is paused and waits for you, one minute in all. Then the episode ends; what was played is kept.</p>
      </Sheet>
    );
  if (link.state === "ended" && !over)
    return (
      <Sheet title="You are no longer connected">
        <p>{link.why || "The game is over."}</p>
        <Onwards about={about} />
      </Sheet>
    );
  if (!view) return <Sheet title="Connecting…" />;
  switch (view.state) {
    case "waiting":
      return <Waiting about={about} view={view} />;
    case "ready":
      return about.tutorial ? <Sheet title="One moment…" /> : <Ready {...props} view={view} />;
    case "paused":
      return (
        <Sheet title="Paused">
          <p>{view.notice}</p>
          <p class="hint">The clock is stopped. If they are not back in {clock(view.limit_sec ?? 0)}, the episode ends and is kept.</p>
        </Sheet>
      );
    case "judging":
      if (about.kind === "helped")
        return (
          <Sheet title="How was the helper?">
            <Rating onRate={props.onRate} />
            <Trouble said={view.notice} />
            <p class="hint">Your game is saved, with or without ratings, in {clock(view.limit_sec ?? 0)} at the latest.</p>
          </Sheet>
        );
      return (
        <Sheet title="Before you finish: did these succeed?">
          <Requests asked={view.asked} onJudge={props.onJudge} />
          <Trouble said={view.notice} />
          <p class="hint">
            {!view.notice && "Your game and each answer are saved. "}The episode is complete when all are answered, or in {clock(view.limit_sec ?? 0)}.
          </p>
        </Sheet>
      );
    case "saving":
      return (
        <Sheet title="Saving…">
          <p>{view.notice || "One moment."}</p>
        </Sheet>
      );
    case "ended":
      return <Ended about={about} outcome={about.kind === "helped" ? `${outcome(view.fulfilled)} It took ${view.step} steps.` : outcome(view.fulfilled)} />;
    case "abandoned":
      return (
        <Sheet title={about.recorded ? "This game is not kept" : about.tutorial ? "You have finished the tutorial" : "You have finished practising"}>
          {about.recorded && <p>{view.notice || "Not enough of it was played."}</p>}
          {about.recorded && about.own_body && <p class="hint">Games of less than ten seconds are not kept.</p>}
          {!about.recorded && <p>Nothing of it was recorded.</p>}
          <Onwards about={about} />
        </Sheet>
      );
    default:
      return null;
  }
}

function Sheet(props: { title: string; children?: ComponentChildren }) {
  return (
    <div class="sheet">
      <div class="card" role="status">
        <h2>{props.title}</h2>
        {props.children}
      </div>
    </div>
  );
}

function Waiting(props: { about: About; view: View }) {
  const { about, view } = props;
  const cast = KINDS[about.kind].cast;
  const missing = Object.keys(cast).filter((role) => !view.here.includes(role as Role)) as Role[];
  const link = absolute(`/play#${about.id}`);
  return (
    <Sheet title={`Waiting for the ${missing.map((role) => NAMES[role]).join(" and the ")}`}>
      <Cast about={about} view={view} />
      {missing.some((role) => cast[role] === "person") && (
        <>
          <p>They find the game on their page “Play”, or by this link:</p>
          <p class="link">
            <input readOnly value={link} aria-label="Link to this game" onFocus={(event) => event.currentTarget.select()} />
            <Copied text={link} />
          </p>
        </>
      )}
      {view.notice && <p class="hint">{view.notice}</p>}
      <p class="hint">This tab's title changes when they come. If nobody comes, the game is closed in {clock(view.limit_sec ?? 0)}.</p>
    </Sheet>
  );
}

function Ready(props: Props & { view: View }) {
  const { about, view } = props;
  const role = about.role ?? "solver";
  const said = view.ready.includes(role);
  return (
    <Sheet title={about.task ? `Task ${about.task.number + 1} of ${about.task.of}` : `You are the ${NAMES[role]}`}>
      <p>{about.kind === "helped" ? HELPED : INTRODUCTION[role]}</p>
      {about.chooses && <p>{LIST}</p>}
      {about.kind === "evaluation" && (
        <p>
          After each request, say whether it succeeded: <kbd>Y</kbd> or <kbd>N</kbd>, at any time. The clock does not wait.
        </p>
      )}
      <Cast about={about} view={view} />
      {said ? (
        <p>{view.notice || "Waiting until everybody is ready."}</p>
      ) : (
        <button type="button" class="primary" onClick={() => props.onDo("ready")}>
          I am ready <kbd>Enter</kbd>
        </button>
      )}
      <p class="hint">
        {about.places && `${about.places} `}
        {!about.chooses && `It takes ${duration(about.seconds)}. `}
        {about.recorded ? "Pictures, movements and words are recorded, under a made-up name." : "Nothing is recorded."}
      </p>
    </Sheet>
  );
}

const HELPED =
  "You have a task at home, which stands beside the picture. A helper is in the home, too, and acts whenever you do; it may or may not know what you want. Finish your task in as few steps as you can.";
const LIST =
  "Choose what to do from the list: everything that you see, with what is possible now. Type to find a thing; arrow keys and Enter choose. Nothing happens until you choose.";

const INTRODUCTION: Record<Role, string> = {
  setter: "Ask the solver to do things, or ask questions, as the note beside the picture says. You can walk around, too. Ask for one thing at a time, and answer if they ask back.",
  solver: "The setter asks you to do things or to answer questions. Do it as well as you can; say so if something is unclear.",
  co_pilot: "You see through the solver's eyes. An agent plays it. When it makes a mistake, take over with C, put it right, and hand back with C. The agent learns from what you do.",
};

/** The players, and whether they are here and ready. */
function Cast(props: { about: About; view: View }) {
  const { view } = props;
  const presence = (role: Role, player: string) => {
    if (view.lost.includes(role)) return "connection lost";
    if (!view.here.includes(role)) return player === "agent" ? "an agent is being loaded" : "has not come yet";
    if (role === props.about.role) return view.ready.includes(role) ? "you are ready" : "you are here";
    return view.ready.includes(role) ? "is ready" : player === "person" ? "is here" : "is being loaded";
  };
  return (
    <ul class="cast">
      {Object.entries(KINDS[props.about.kind].cast).map(([role, player]) => (
        <li key={role}>
          <span class={`who ${role === "setter" ? "setter" : "solver"}`}>{NAMES[role as Role]}</span> {presence(role as Role, player)}
        </li>
      ))}
    </ul>
  );
}

function Ended(props: { about: About; outcome: string }) {
  return (
    <Sheet title="Saved. Thank you!">
      {props.outcome && <p>{props.outcome}</p>}
      <p>The episode is on the server's disk. {props.about.taught ? "It is the next clip for you to mark." : "Raters will mark it."}</p>
      <Onwards about={props.about} />
    </Sheet>
  );
}

function Onwards({ about }: { about: About }) {
  return (
    <p>
      <a class="button primary" href={about.taught ? "teach" : "play"}>
        {about.taught ? (
          <>
            Back to teaching <kbd>Enter</kbd>
          </>
        ) : (
          "All games"
        )}
      </a>
    </p>
  );
}
