// A game: the player's view as large as fits, and the dialogue, the prompt and the keys beside it.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { ApiError, ask, me, untilAnswered, type Me } from "../api";
import { Frame, Trouble } from "../frame";
import { keepFocus } from "../episode/press";
import { declaredKey, isForFocused, keyOf, useLayout } from "../keyboard";
import { Connection, type Link } from "./connection";
import { Choosing, Status } from "./choosing";
import { Hands } from "./hands";
import { Hud } from "./hud";
import { Dialogue, Keys, Prompt, Requests } from "./panels";
import type { Ratings } from "./rating";
import { Pictures, Screen } from "./screen";
import { Situation } from "./situation";
import { Tutorial } from "./tutorial";
import { isOver, openRequest, type About, type Said, type View } from "./view";

export function Play(props: { id: string }) {
  const [person, setPerson] = useState<Me | null>(null);
  const [about, setAbout] = useState<About | null>(null);
  const [trouble, setTrouble] = useState("");
  const load = async () => {
    try {
      setPerson(await untilAnswered(me, setTrouble));
      setAbout(await untilAnswered(() => ask<About>("GET", `/api/play/games/${props.id}`), setTrouble));
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) location.replace("./");
      else setTrouble((error as Error).message);
    }
  };
  useEffect(() => void load(), [props.id]);
  const join = async (role: string) => {
    try {
      await ask("POST", `/api/play/games/${props.id}/join`, { role });
      await load();
    } catch (error) {
      setTrouble((error as Error).message);
    }
  };
  if (person && about?.role) return <Table key={about.id} person={person} about={about} />;
  return (
    <Frame title="Play" me={person}>
      <Trouble said={trouble} />
      {about && (
        <div class="card">
          <p>{about.free.length ? "This game waits for a player." : "There is no role for you in this game."}</p>
          {about.free.map((role) => (
            <button key={role} type="button" class="primary" onClick={() => join(role)}>
              Join as {role.replace("_", "-")}
            </button>
          ))}
        </div>
      )}
      <p>{person?.teaching ? <a href="teach">Back to teaching</a> : <a href="play">All games</a>}</p>
    </Frame>
  );
}

/** The game that this person is in. */
function Table(props: { person: Me; about: About }) {
  const { about } = props;
  const [view, setView] = useState<View | null>(null);
  const [link, setLink] = useState<Link>({ state: "connecting", why: "" });
  const [lag, setLag] = useState(0);
  const [refused, setRefused] = useState("");
  const pictures = useMemo(() => new Pictures(), []);
  const connection = useRef<Connection | null>(null);
  const hands = useMemo(() => new Hands((message) => connection.current?.send(message) ?? false, about.keys.map((key) => key.codes)), []);
  const line = useRef<HTMLInputElement>(null);
  const layout = useLayout();

  useEffect(() => {
    const made = new Connection(about.id, {
      onView: (view, picture) => {
        setView(view);
        if (picture) pictures.show(picture);
      },
      onLag: setLag,
      onRefused: setRefused,
      onLink: setLink,
    });
    connection.current = made;
    return () => {
      made.close();
      hands.close();
    };
  }, [about.id]);
  useEffect(() => {
    if (!refused) return undefined;
    const timer = setTimeout(() => setRefused(""), 4_000);
    return () => clearTimeout(timer);
  }, [refused]);

  const role = about.role ?? "solver";
  useTitle(about, view);
  const doThis = (event: string) => connection.current?.send({ do: event });
  const judge = (step: number, said: Said) => connection.current?.send({ judge: { request_step: step, said } });
  const rate = (ratings: Ratings) => connection.current?.send({ rate: ratings });
  const choose = (chosen: string, step: number) => connection.current?.send({ inputs: { chosen, chosen_at: step } }) ?? false;
  const goOn = () => location.assign(about.taught ? "teach" : "play");
  const steers = view?.state === "playing" && link.state === "open" && (role === "setter" || view.in_control === role);
  useGameKeys({ view, hands, line, role, steers: steers && !about.chooses, ownBody: about.own_body, declared: about.keys.flatMap((key) => key.codes), doThis, judge, goOn: about.taught && (isOver(view) || link.state === "ended") ? goOn : undefined });
  useEffect(() => {
    if (link.state === "open") hands.sendAgain();
  }, [link.state]);
  useEffect(() => {
    if (view?.state === "playing" && link.state === "open" && !steers) hands.drop();
  }, [steers]);
  useEffect(() => {
    if (view?.state !== "playing" || link.state !== "open") hands.rest();
    if (about.tutorial && view?.state === "ready" && view.can.includes("ready")) doThis("ready");
  }, [view?.state, link.state]);

  const leave = async () => {
    if (!view || !["waiting", "ready", "ended", "abandoned"].includes(view.state)) {
      if (!about.tutorial && !confirm("Leave the game? It then ends for everybody.")) return;
    }
    connection.current?.close();
    await ask("POST", `/api/play/games/${about.id}/leave`).catch(() => undefined);
    goOn();
  };
  const control = view?.in_control === "co_pilot" ? "co-pilot" : "solver";
  return (
    <Frame title={about.tutorial ? "Learn the keys" : "Play"} me={props.person} wide>
      <div class={`table${about.chooses ? " chooses" : ""}`} onMouseDown={keepFocus}>
        <section class="seat" aria-label="The game">
          <Hud about={about} view={view} link={link} lag={lag} onDo={doThis} onLeave={leave} />
          <Screen pictures={pictures} hands={hands} steers={steers && about.own_body} kind={steers ? "me" : control} caption={about.chooses ? "What you see, and the same from above" : `What the ${role === "setter" ? "setter" : "solver"} sees`} grabs={view?.grabs ?? ""} grabFailed={view?.grab_failed ?? ""}>
            <Situation about={about} view={view} link={link} onDo={doThis} onJudge={judge} onRate={rate} />
          </Screen>
          {about.kind !== "helped" && <Line input={line} hands={hands} enabled={view?.state === "playing" && link.state === "open" && (role !== "co_pilot" || steers)} />}
          <p class="notice" role="status">
            {refused || (view?.state === "playing" ? view.notice : "")}
          </p>
        </section>
        <aside class="side">
          {about.chooses && <Status board={view?.board ?? null} />}
          {about.chooses && <Choosing board={view?.board ?? null} enabled={steers} onChoose={choose} />}
          {about.tutorial ? <Tutorial person={props.person} about={about} hands={hands} view={view} layout={layout} onDone={() => doThis("end")} /> : about.kind !== "helped" && <Prompt about={about} role={role} />}
          {(about.kind !== "helped" || (view?.dialogue.length ?? 0) > 0) && <Dialogue view={view} />}
          {about.kind === "evaluation" && view && view.state !== "judging" && <Requests asked={view.asked} onJudge={judge} />}
          {!about.chooses && <Keys kind={about.kind} role={role} declared={about.keys} ownBody={about.own_body} layout={layout} fullHands={about.full_hands} />}
        </aside>
      </div>
    </Frame>
  );
}

/** Show in the tab's title that the game waits, and that the partner has come. */
function useTitle(about: About, view: View | null): void {
  const waited = useRef(false);
  if (view?.state === "waiting") waited.current = true;
  const mustBeReady = view?.state === "ready" && about.role !== null && !view.ready.includes(about.role);
  const title = view?.state === "waiting" ? "Waiting…" : waited.current && mustBeReady ? "● Your partner is here" : about.tutorial ? "Learn the keys" : "Play";
  useEffect(() => {
    document.title = `${title} - interactive-rlhf`;
  }, [title]);
}

/** Where lines are written: Enter begins and sends, Escape leaves. */
function Line(props: { input: { current: HTMLInputElement | null }; hands: Hands; enabled: boolean }) {
  const [text, setText] = useState("");
  const [send, setSend] = useState("");
  useEffect(() => {
    if (!send || !props.enabled) return undefined; // the server drops what is said while the game is paused
    const timer = setInterval(() => {
      if (!props.hands.say(send)) return;
      clearInterval(timer); // at once: a busy page is drawn later, and would say it again
      setSend((waiting) => waiting.slice(send.length).trimStart());
    }, 30);
    return () => clearInterval(timer);
  }, [send, props.enabled]);
  const press = (event: KeyboardEvent) => {
    if (event.isComposing) return; // the key is for the input method, which may write a word with several
    if (event.key === "Enter") {
      event.preventDefault();
      if (text.trim()) setSend((waiting) => (waiting ? `${waiting} ${text}` : text));
      setText("");
      props.input.current?.blur();
    } else if (event.key === "Escape") {
      setText("");
      props.input.current?.blur();
    }
    event.stopPropagation();
  };
  return (
    <div class="say">
      <input
        ref={props.input}
        value={text}
        maxLength={160}
        disabled={!props.enabled}
        aria-label="Say something"
        placeholder={props.enabled ? "Press Enter to write, Enter to send, Escape to leave" : ""}
        autocomplete="off"
        onInput={(event) => setText(event.currentTarget.value)}
        onFocus={() => props.hands.rest()}
        onKeyDown={press}
      />
    </div>
  );
}

interface GameKeys {
  view: View | null;
  hands: Hands;
  line: { current: HTMLInputElement | null };
  role: string;
  steers: boolean;
  ownBody: boolean; // of the Playhouse
  declared: string[]; // codes of another body's keys
  doThis: (event: string) => void;
  judge: (step: number, said: Said) => void;
  goOn?: () => void; // from a game that is over
}

const VERDICTS: Record<string, Said> = { y: "success", n: "failure", x: "no request" };

/** Listen for the keys of the game, except while a line is being written. */
function useGameKeys(game: GameKeys): void {
  const latest = useRef(game);
  latest.current = game;
  useEffect(() => {
    const down = (event: KeyboardEvent) => {
      if (isForFocused(event) || event.ctrlKey || event.metaKey || event.altKey) return;
      if (act(latest.current, event)) event.preventDefault();
    };
    const up = (event: KeyboardEvent) => latest.current.hands.release(event.code);
    const away = () => latest.current.hands.rest();
    addEventListener("keydown", down);
    addEventListener("keyup", up);
    addEventListener("blur", away);
    return () => {
      removeEventListener("keydown", down);
      removeEventListener("keyup", up);
      removeEventListener("blur", away);
    };
  }, []);
}

/** Do what a key asks for. Returns false if it is not one of the game's keys. */
function act({ view, hands, line, steers, ownBody, declared, doThis, judge, goOn }: GameKeys, event: KeyboardEvent): boolean {
  const can = (what: string) => view?.can.includes(what) ?? false;
  if (event.key === "Enter") {
    if (can("ready") && view?.state === "ready") doThis("ready");
    else if (view?.state === "judging") return false;
    else if (goOn) goOn();
    else line.current?.focus();
    return true;
  }
  const letter = keyOf(event, (key) => key === "c" || key in VERDICTS);
  const control = letter === "c" && ["take_over", "hand_back"].find(can);
  if (control) {
    if (!event.repeat) doThis(control);
    return true;
  }
  const said = VERDICTS[letter ?? ""];
  if (said && view && view.asked.length > 0) {
    const asked = openRequest(view.asked);
    if (asked && !event.repeat) judge(asked.step, said);
    return true;
  }
  if (!steers) return false;
  if (ownBody && event.code === "KeyG" && !event.repeat) hands.toggleHold();
  const code = ownBody ? event.code : declaredKey(event, declared);
  return (ownBody && code === "KeyG") || (code !== undefined && hands.press(code));
}
