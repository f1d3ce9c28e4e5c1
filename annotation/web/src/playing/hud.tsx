// The line above the picture: role, control, clock, and connection.
import type { Link } from "./connection";
import { clock, isOver, NAMES, turns, type About, type View } from "./view";

interface Props {
  about: About;
  view: View | null;
  link: Link;
  lag: number;
  onDo: (event: string) => void;
  onLeave: () => void;
}

export function Hud(props: Props) {
  const { about, view, link, onDo } = props;
  const role = about.role ?? "solver";
  const can = (what: string) => (view?.can.includes(what) ?? false) && link.state === "open";
  const over = isOver(view);
  return (
    <div class="hud">
      <span class={`badge who ${role === "setter" ? "setter" : "solver"}`}>{about.task ? `task ${about.task.number + 1} of ${about.task.of}` : `you are the ${NAMES[role]}`}</span>
      {view?.state === "playing" && <Control about={about} view={view} />}
      {can("take_over") && (
        <button type="button" class="primary" onClick={() => onDo("take_over")}>
          Take over <kbd>C</kbd>
        </button>
      )}
      {can("hand_back") && (
        <button type="button" class="primary" onClick={() => onDo("hand_back")}>
          Hand back <kbd>C</kbd>
        </button>
      )}
      <span class="spacer" />
      {!over && <Lag link={link} lag={props.lag} />}
      {about.turn_based ? (
        <span class="big-clock">{view ? (about.chooses ? `step ${view.step} of ${view.steps}` : turns(view.steps - view.step)) : ""}</span>
      ) : (
        <span class="big-clock" role="timer" aria-label="Time left">
          {clock(view?.seconds_left ?? about.seconds)}
        </span>
      )}
      {can("end") && !about.tutorial && (
        <button type="button" onClick={() => confirm("End the episode now?") && onDo("end")}>
          End
        </button>
      )}
      <button type="button" class="quiet" onClick={props.onLeave}>
        {over ? "Close" : "Leave"}
      </button>
    </div>
  );
}

/** Who moves the solver now. */
function Control(props: { about: About; view: View }) {
  const { about, view } = props;
  const agent = about.kind !== "human-human" && about.kind !== "practice-solving" && about.kind !== "helped";
  if (about.role === view.in_control) return <strong class="control mine">you are in control</strong>;
  if (!agent) return null;
  const who = view.in_control === "co_pilot" ? "the co-pilot" : about.kind === "practice-setting" ? "a scripted player" : "the agent";
  return <span class={`control ${view.in_control}`}>{who} controls the solver</span>;
}

function Lag(props: { link: Link; lag: number }) {
  if (props.link.state !== "open") return <span class="lag bad">no connection</span>;
  const kind = props.lag < 150 ? "good" : props.lag < 400 ? "fair" : "bad";
  return (
    <span class={`lag ${kind}`} title="Time for a picture to reach you and for the acknowledgement to return">
      lag {props.lag} ms
    </span>
  );
}
