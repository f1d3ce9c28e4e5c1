"""The running game: people's events and inputs in, their views out, one episode into the store."""

from __future__ import annotations

import logging
import threading
import uuid
from collections.abc import Mapping

import numpy as np

from annotation.games.casting import cast, check_dataset
from annotation.games.config import GameConfig
from annotation.games.following import Following, Judging
from annotation.games.inputs import Hands, Inputs
from annotation.games.pace import Pace
from annotation.games.recording import Recording
from annotation.games.screen import Line, Screen, View, encode, notice
from annotation.games.stage import Stage
from annotation.games.stand_ins import AT_WORK, GONE, STARTING, ScriptedPlayer, StandIn
from annotation.session import Event, Kind, Player, Refusal, Refused, Role, Session, State, after, allowed
from annotation.verdicts import Said
from rlhf.cli import disk_is_full
from rlhf.errors import UserError
from rlhf.store import EpisodeStore
from worlds import registry
from worlds.contract import SETTER, SOLVER, TICKS_PER_STEP, Action, WorldError, silent

DIALOGUE = 8  # lines that a view shows
IDLE_SEC = 0.5  # between two views while nothing moves
LOST_AGENT = "the solver stands still from now on unless somebody takes over"
BLIND = "the agent cannot go on; whoever runs the study finds the reason in the server's log"
BROKEN = "the game has broken down; whoever runs the study finds the reason in the server's log"
LATE_AGENT = "the agent did not answer in time and did nothing"
_AVATAR = {Role.SETTER: SETTER, Role.SOLVER: SOLVER, Role.CO_PILOT: SOLVER}
_log = logging.getLogger(__name__)


class Game:
    """One session from its first player to the stored episode. Every method may be called from any thread.

    Args:
      config: who plays what, where and for how long.
      store: where the episode goes. stand_in: the agent that solves, where one does; once made, the game closes it.
      pace: of the ticks; real time unless given.

    Raises:
      UserError: the world does not exist, the dataset holds another world, image size or world options, or the session
        needs an agent and none is given.
      WorldError: the place cannot be.
    """

    def __init__(
        self, config: GameConfig, store: EpisodeStore, stand_in: StandIn | None = None, pace: Pace | None = None
    ) -> None:
        self.config, self.id = config, f"play-{uuid.uuid4().hex[:16]}"
        self._store, self._pace = store, pace or Pace()
        check_dataset(config, store)
        entry = registry.get(config.world)
        self._session = Session(config.kind)
        self._stand_ins = cast(self._session, entry, stand_in)
        self._stage = Stage(config, entry)
        self._recording = Recording(config, self._stage.place)
        scripted = self._stand_ins.get(Role.SETTER)
        self._following = Following(entry, scripted) if isinstance(scripted, ScriptedPlayer) else None
        self._judging = Judging()
        self._hands = {role: Hands() for role in self._session.cast}
        self._screens = {r: Screen() for r, player in self._session.cast.items() if player is Player.PERSON}
        self._names = {role: stand_in.name for role, stand_in in self._stand_ins.items()}
        self._changed = threading.Condition(threading.RLock())  # guards what follows and the session
        self._dialogue: list[Line] = []
        self._in_control = Role.SOLVER  # in the present step
        self._frames: dict[str, bytes] = {}
        self._trouble, self._late = "", 0
        self._since, self._paused_sec = self._pace.now(), 0.0
        self._closing = False
        self._thread = threading.Thread(target=self.run, name=self.id, daemon=True)

    # -- what the server calls -----------------------------------------------------------------------------------

    @property
    def session(self) -> Session:
        """Where the session is."""
        return self._session

    @property
    def state(self) -> State:
        """The session's state."""
        return self._session.state

    @property
    def dialogue(self) -> tuple[Line, ...]:
        """All that has been said."""
        with self._changed:
            return tuple(self._dialogue)

    def start(self) -> None:
        """Run in a thread of its own."""
        self._thread.start()

    def join(self, role: Role, name: str) -> None:
        """A person called ``name`` (a pseudonym) plays ``role``. Raises Refused if they cannot."""
        with self._changed:
            if self._session.cast.get(role, Player.PERSON) is not Player.PERSON:
                raise Refused(Refusal.TAKEN)
            self._happens(Event.JOIN, role)
            self._names[role] = name

    def do(self, role: Role, event: Event) -> None:
        """The person who plays ``role`` causes ``event``. Raises Refused, with the reason, if it leads nowhere."""
        if event is Event.JOIN or role in self._stand_ins:
            raise Refused(Refusal.NOT_YOURS)
        with self._changed:
            if event in (Event.LOST, Event.LEAVE) and role in self._hands:
                self._hands[role].rest()
            self._happens(event, role)

    def give(self, role: Role, inputs: Inputs) -> None:
        """What the person who plays ``role`` did. Outside of play, and from a co-pilot who only watches, it is dropped.

        Raises Refused if the role is not theirs.
        """
        with self._changed:
            if role in self._stand_ins or role not in self._session.here:
                raise Refused(Refusal.NOT_HERE)
            if self._session.state is State.PLAYING:
                watches = role is Role.CO_PILOT and not self._session.taken_over
                self._hands[role].give(Inputs(held=inputs.held) if watches else inputs)

    def judge(self, role: Role, request_step: int, said: Said) -> None:
        """In an evaluation: what the setter says of the line that they said at ``request_step``; the last counts.

        Raises Refused if it is not theirs to say or they said nothing then.
        """
        with self._changed:
            step = len(self._recording) - (self._session.state is State.JUDGING)
            self._judging.judge(self._session, role, request_step, said, step)
            self._changed.notify_all()

    def screen(self, role: Role) -> Screen:
        """Where the person who plays ``role`` is shown what they see. Raises Refused if no person plays it."""
        if role not in self._screens:
            raise Refused(Refusal.NO_SUCH_ROLE)
        return self._screens[role]

    def wait(self, timeout_sec: float | None = None) -> None:
        """Until it is over, once it has been started, or so long."""
        self._thread.join(timeout_sec)

    def close(self, timeout_sec: float = 30.0) -> None:
        """End it as it is, keep what was played, and wait until that is done (the server stops)."""
        with self._changed:
            self._closing = True
            self._changed.notify_all()
        if self._thread.ident is None:
            self.run()  # it was never started: release what it has
        else:
            self._thread.join(timeout_sec)

    # -- the game's own thread -----------------------------------------------------------------------------------

    def run(self) -> None:
        """Play it from beginning to end; :meth:`start` does so in a thread."""
        try:
            self._gather()
            if not self._session.over:
                self._play()
                self._judge()
                self._save()
        except Exception:  # whatever else: people are not left with a picture that stands still
            _log.exception("game %s", self.id)
            self._trouble = BROKEN
            self._break_off()
        finally:
            for stand_in in self._stand_ins.values():
                stand_in.close()
            self._show()
            for screen in self._screens.values():
                screen.close()
            self._stage.close()

    def _gather(self) -> None:
        """Until play begins or is given up."""
        while self._session.state in (State.WAITING, State.READY):
            with self._changed:
                self._stand_ins_join()
                self._happens_if(Event.TIMEOUT, self._time_is_up())
                self._happens_if(Event.STOP, self._closing)
                self._show()
                if self._session.state in (State.WAITING, State.READY):
                    self._changed.wait(IDLE_SEC)

    def _stand_ins_join(self) -> None:
        for role, stand_in in self._stand_ins.items():
            if role not in self._session.here:
                self._happens(Event.JOIN, role)
            if stand_in.state == AT_WORK and role not in self._session.ready:
                self._happens(Event.READY, role)
            if stand_in.state == GONE:
                self._trouble = self._told(stand_in)
                self._happens(Event.FAIL)
                return

    def _told(self, stand_in: StandIn) -> str:
        """What people hear of a stand-in that is gone; nobody who judges an agent hears which it is."""
        if self.config.kind is not Kind.EVALUATION:
            return stand_in.trouble
        if not self._trouble.startswith(BLIND):
            _log.error("game %s: %s", self.id, stand_in.trouble)
        return BLIND

    def _play(self) -> None:
        """Until the episode is over."""
        for number, stand_in in enumerate(self._stand_ins.values()):
            stand_in.begin(self._stage.world, self.config.seed + number)
        self._pace.resume()
        self._draw()
        while True:
            with self._changed:
                self._happens_if(Event.FINISH, len(self._recording) >= self.config.steps)
                self._happens_if(Event.STOP, self._closing)
                state = self._session.state
            if state is State.PAUSED:
                self._pause()
            elif state is State.PLAYING:
                self._step()
            else:
                return

    def _pause(self) -> None:
        """Stand still until everybody is back or the time for it is up."""
        with self._changed:
            while self._session.state is State.PAUSED and not self._closing:
                self._happens_if(Event.TIMEOUT, self._time_is_up())
                self._show()
                if self._session.state is State.PAUSED:
                    self._changed.wait(IDLE_SEC)
        self._pace.resume()

    def _judge(self) -> None:
        """Of an evaluation: until the setter has said of every request whether it succeeded."""
        with self._changed:
            while self._session.state is State.JUDGING:
                self._happens_if(Event.JUDGED, self._judging.done or len(self._recording) < self.config.shortest)
                self._happens_if(Event.TIMEOUT, self._time_is_up())
                self._happens_if(Event.STOP, self._closing)
                self._show()
                if self._session.state is State.JUDGING:
                    self._changed.wait(IDLE_SEC)

    def _step(self) -> None:
        """One step: eight ticks in real time, then what came of them."""
        step, seen = len(self._recording), self._stage.observations
        with self._changed:
            self._in_control = self._session.in_control
            gone = [stand_in for stand_in in self._stand_ins.values() if stand_in.state == GONE]
            self._trouble = f"{self._told(gone[0])}: {LOST_AGENT}" if gone else ""
            if self._in_control is not Role.CO_PILOT and Role.CO_PILOT in self._hands:
                self._hands[Role.CO_PILOT].watch()
        for role, stand_in in self._stand_ins.items():
            stand_in.ask(step, seen[_AVATAR[role]])
        event = Event.FINISH
        try:
            goes_on = self._ticks(step, seen)
        except WorldError as error:  # what was played before this step is good
            self._trouble, event, goes_on = str(error), Event.FAIL, False
        self._happens_if(event, not goes_on)

    def _ticks(self, step: int, seen: Mapping) -> bool:
        """The ticks of one step, recorded; whether the world goes on."""
        movement, acted = self._stage.movement, {}
        for tick in range(TICKS_PER_STEP):
            self._pace.wait()
            acted = acted or {SETTER: self._action(step, Role.SETTER), SOLVER: self._action(step, self._in_control)}
            with self._changed:
                rows = {p: self._row(tick, action) for p, action in acted.items()}
            self._stage.tick(rows)
            if (tick + 1) % self.config.ticks_per_frame == 0:
                self._draw()
        said = self._said(step, acted)
        goes_on = self._stage.end(said)
        setter, solver = ({"movement": movement[p], "utterance": said[p]} for p in (SETTER, SOLVER))
        self._recording.add(seen[SOLVER], solver, setter, self._in_control)  # type: ignore[arg-type]
        if self._following is not None:
            self._following.step(self._stage.world, step, said)
        return goes_on

    def _action(self, step: int, role: Role) -> Action | Role:
        """What a stand-in does in this step; the role itself where a person steers it tick by tick."""
        stand_in = self._stand_ins.get(role)
        if stand_in is None:
            return role
        action = stand_in.answer(step, self.config.deadline_sec)
        if action is not None:
            return action
        with self._changed:
            self._late += 1
            self._trouble = self._trouble or LATE_AGENT
        return silent()

    def _row(self, tick: int, action: Action | Role) -> np.ndarray:
        """The movement of one player in this tick: int8 [components]."""
        return self._hands[action].tick() if isinstance(action, Role) else action["movement"][tick]

    def _said(self, step: int, acted: Mapping[str, Action | Role]) -> dict[str, str]:
        """What each player says in this step."""
        said = {}
        with self._changed:
            for player, action in acted.items():
                said[player] = self._hands[action].line() if isinstance(action, Role) else action["utterance"]
                if said[player]:
                    role = Role.SETTER if player == SETTER else self._in_control
                    self._dialogue.append(Line(step, role, said[player]))
            if said[SETTER]:
                self._judging.hear(step, said[SETTER])
        return said

    # -- the end -------------------------------------------------------------------------------------------------

    def _save(self) -> None:
        """Write the episode; people are told that it is saved once it is durable, and not before."""
        if len(self._recording) < self.config.shortest:
            self._happens(Event.EMPTY)
            return
        notes = {"prompt": self.config.prompt.note() if self.config.prompt else None, "ended": self._session.why}
        if self._stand_ins:
            notes["late_steps"] = self._late
        notes |= self._judging.note(self.config.kind)
        referee = self._following.referee if self._following else None
        episode = self._recording.episode(self.id, self._names, notes, referee)
        self._show()
        while True:
            try:
                self._store.write(episode)
                break
            except (UserError, OSError) as error:
                why = "the server's disk is full" if disk_is_full(error) else "the server cannot write it"
                self._trouble = f"the episode is not saved yet ({why}); trying again"
                _log.error("game %s: the episode is not saved yet: %s", self.id, error)
            with self._changed:
                if self._closing:
                    self._trouble = self._trouble.replace("not saved yet", "not saved").replace("; trying again", "")
                    return
                self._show()
                self._changed.wait(self.config.retry_sec)
        self._trouble = ""
        self._happens(Event.SAVED)

    def _break_off(self) -> None:
        """After an error of the game itself: keep what was played, if that can still be done."""
        with self._changed:
            while self._session.state not in (State.SAVING, State.ENDED, State.ABANDONED):
                self._happens(Event.FAIL)
        if self._session.state is State.SAVING:
            try:
                self._save()
            except Exception:
                _log.exception("game %s cannot be saved", self.id)

    # -- events and views ----------------------------------------------------------------------------------------

    def _happens(self, event: Event, role: Role | None = None) -> None:
        with self._changed:
            before, self._session = self._session.state, after(self._session, event, role)
            if self._session.state is not before:
                now = self._pace.now()
                if before is State.PAUSED:
                    self._paused_sec += now - self._since
                self._since = now
            self._changed.notify_all()

    def _happens_if(self, event: Event, condition: bool) -> None:
        """``event``, unless the session has got past it meanwhile."""
        if condition:
            try:
                self._happens(event)
            except Refused:
                pass

    def _limit_sec(self) -> float | None:
        """Seconds until the present state ends by itself."""
        limit = self.config.limits.of(self._session.state)
        if limit is None:
            return None
        spent = self._paused_sec if self._session.state is State.PAUSED else 0.0
        return max(limit - spent - (self._pace.now() - self._since), 0.0)

    def _time_is_up(self) -> bool:
        return self._limit_sec() == 0.0

    def _draw(self) -> None:
        """New pictures for those who watch, then their views."""
        watched = {_AVATAR[role] for role, screen in self._screens.items() if screen.watched}
        for player in watched if self._stage.changed() or not self._frames else ():
            self._frames[player] = encode(self._stage.picture(player), self.config.quality)
        self._show()

    def _show(self) -> None:
        """The present view to everybody."""
        with self._changed:
            for role, screen in self._screens.items():
                screen.show(self._view(role))

    def _view(self, role: Role) -> View:
        session, steps = self._session, self.config.steps
        step = len(self._recording)
        playing = session.state in (State.PLAYING, State.PAUSED)
        return View(
            state=session.state,
            step=step,
            steps=steps,
            seconds_left=(steps - step) * TICKS_PER_STEP * self._pace.tick_sec,
            limit_sec=self._limit_sec(),
            in_control=self._in_control if playing else session.in_control,
            can=tuple(sorted(event.value for event in allowed(session, role))),
            here=tuple(sorted(session.here)),
            ready=tuple(sorted(session.ready)),
            lost=tuple(sorted(session.lost)),
            dialogue=tuple(self._dialogue[-DIALOGUE:]),
            asked=self._judging.asked if session.kind is Kind.EVALUATION and role is Role.SETTER else (),
            notice=self._trouble or self._notice(),
            speed=self._pace.speed if session.state is State.PLAYING else 1.0,
            saved=self.id if session.state is State.ENDED else "",
            frame=self._frames.get(_AVATAR[role]),
        )

    def _notice(self) -> str:
        starting = any(stand_in.state == STARTING for stand_in in self._stand_ins.values())
        return notice(self._session, starting, self._pace.speed)
