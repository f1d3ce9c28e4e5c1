// The frame of every bench: pictures on the stage, words and guidelines at the side, controls on the desk.
import type { ComponentChildren } from "preact";
import type { Me } from "../api";
import type { Shared } from "../episode/keys";
import { keepFocus } from "../episode/press";
import { Question } from "../episode/question";
import { Playing, Tool } from "../episode/transport";
import type { Player } from "../episode/player";
import { Frame, Trouble } from "../frame";
import { Saved } from "../saving/edits";
import type { Instructed } from "./task";
import type { Bench } from "./use_bench";

interface FrameProps<C> {
  bench: Bench<C>;
  person: Me;
  title: string;
  class?: string;
  desk: ComponentChildren;
  after?: ComponentChildren;
  children: ComponentChildren; // what stands before the desk
}

/** A bench whose `desk` ends with what is asked before the work is submitted, and with what goes wrong. */
export function BenchFrame<C>(props: FrameProps<C>) {
  const { bench } = props;
  return (
    <Frame title={props.title} me={props.person} status={<Saved state={bench.saved} />} wide>
      <div class={`bench${props.class ? ` ${props.class}` : ""}`} onMouseDown={keepFocus}>
        {props.children}
        <div class="desk">
          {props.desk}
          {bench.asking && <Question text={bench.asking} onSubmit={() => bench.submit(true)} onBack={bench.back} />}
          <Trouble said={bench.trouble} />
        </div>
        {props.after}
      </div>
    </Frame>
  );
}

/** A button for a command of a bench. */
export function Command<C>(props: { bench: Bench<C>; asked: C | Shared; sign: string; name: string; disabled?: boolean }) {
  const { bench } = props;
  return <Tool sign={props.sign} name={props.name} disabled={(props.disabled ?? false) || bench.submitting} onPress={() => bench.obey(props.asked)} />;
}

export function Undo<C>(props: { bench: Bench<C> }) {
  return (
    <>
      <Command {...props} asked={{ do: "undo" }} sign="↶" name="Undo (Ctrl Z)" disabled={!props.bench.canUndo} />
      <Command {...props} asked={{ do: "redo" }} sign="↷" name="Redo (Ctrl Y)" disabled={!props.bench.canRedo} />
    </>
  );
}

interface ControlsProps<C> {
  bench: Bench<C>;
  player: Player;
  steps: number;
  stepsPerSecond: number;
  silent?: boolean; // nobody speaks
  answer?: ComponentChildren; // buttons for what is said
  more?: ComponentChildren; // buttons beside those that play
  after?: ComponentChildren; // groups after those that play
  said?: ComponentChildren; // beside the button that submits
  ready?: boolean; // it can be submitted
  submit?: [idle: string, busy: string] | null; // words of that button; null: the answer submits, and there is none
}

/** A button for every command: what is said, playing, and what submits. */
export function Controls<C>(props: ControlsProps<C>) {
  const { bench } = props;
  const { submit = ["Next (Enter)", "Saving…"] } = props;
  return (
    <div class="controls">
      {props.answer}
      <Playing player={props.player} steps={props.steps} stepsPerSecond={props.stepsPerSecond} disabled={bench.submitting} onCommand={bench.obey} silent={props.silent}>
        {props.more}
      </Playing>
      {props.after}
      <div class="group end">
        {props.said}
        {submit && (
          <button type="button" class="primary" disabled={bench.submitting || props.ready === false} onClick={() => bench.submit(false)}>
            {submit[bench.submitting ? 1 : 0]}
          </button>
        )}
      </div>
    </div>
  );
}

/** Guidelines, after the instructions of the project. */
export function Guidelines(props: { name: string; project?: Instructed; children: ComponentChildren; before?: ComponentChildren }) {
  return (
    <section class="panel guidelines" aria-label={props.name} tabIndex={0}>
      {props.before}
      {props.project?.instructions && (
        <>
          <h2>{props.project.title || "In this project"}</h2>
          <div class="prose">{props.project.instructions}</div>
        </>
      )}
      {props.children}
    </section>
  );
}
