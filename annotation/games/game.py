"""A running game: events and inputs of people in, their views out, one episode into the store."""

from __future__ import annotations

import logging
import threading
from dataclasses import asdict, replace
from typing import Any

from annotation.games.body_keys import body_keys
from annotation.games.casting import cast, check_dataset, check_spaces
from annotation.games.config import GameConfig
from annotation.games.inputs import Inputs
from annotation.games.live_world import LiveWorld
from annotation.games.pace import Pace
from annotation.games.players import AVATAR, LATE_AGENT, LOST_AGENT, Players
from annotation.games.request_outcomes import ScriptedRequests
from annotation.games.saving import EpisodeSaver
from annotation.games.screen import Screen, Screens, SpokenLine, View, notice
from annotation.games.stand_ins import ScriptedPlayer, StandIn
from annotation.games.steps import Steps
from annotation.games.timed_session import TimedSession
from annotation.games.unfinished import UnfinishedGame, new_id
from annotation.session.prompts import Prompt
from annotation.session.ratings import HelperRatings
from annotation.session.states import Player, PlaySession, Refusal, Role, SessionEvent, State, TransitionRefused
from annotation.session.transitions import allowed
from annotation.session.verdicts import LineVerdict
from rlhf.records.episode import Episode
from rlhf.store import EpisodeStore
from worlds import registry
from worlds.contract import BODIES, FULL_BODY, SOLVER, WorldError
from worlds.spaces.action import ActionSpec

IDLE_SEC = 0.5  # between two views while nothing moves
BROKEN = "an unexpected error has ended the game; the study's leader finds it in the server's log"
_log = logging.getLogger(__name__)


class Game:
    """One session from its first player to the stored episode. Every method may be called from any thread.

    Args:
      stand_in: the agent that solves, in the kinds that have one; the game closes it at its end.
      pace: pace of the ticks; None is real time.
      keeps: folder that keeps the episode from the end of play until it is stored; None keeps it in memory alone.
        Its id becomes the game's.

    Raises UserError if the world does not exist, the dataset holds another world, image size or world options, or the
    kind of session needs an agent and none is given, or WorldError if the place is not possible.
    """

    def __init__(
        self,
        config: GameConfig,
        store: EpisodeStore,
        stand_in: StandIn | None = None,
        pace: Pace | None = None,
        keeps: UnfinishedGame | None = None,
    ) -> None:
        self.config, self.id = config, new_id() if keeps is None else keeps.id
        self._store, self._keeps = store, keeps
        check_dataset(config, store)
        entry = registry.get(config.world)
        self._live_world = LiveWorld(config, entry)
        self._pace = pace or Pace(self._live_world.tick_sec)
        self._timed = TimedSession(config.kind, config.limits, self._pace.now)
        self._stand_ins = cast(self.session, entry, stand_in, config.task, config.split)
        check_spaces(self._live_world.spaces, store)
        bodies, boards = self._live_world.bodies, self._live_world.boards
        self._players = Players(self.session, self._stand_ins, self.id, bodies, boards)
        people = [role for role, player in self.session.cast.items() if player is Player.PERSON]
        self._screens = Screens({role: AVATAR[role] for role in people}, config.quality)
        self._names = {role: stand_in.name for role, stand_in in self._stand_ins.items()}
        self._changed = threading.Condition(threading.RLock())  # guards what follows and the session
        self._trouble = ""
        setter = self._stand_ins.get(Role.SETTER)
        scripted = ScriptedRequests(entry, setter) if isinstance(setter, ScriptedPlayer) else None
        self._steps = Steps(config, self._live_world, self._players, scripted, self._pace, self._changed, self._draw)
        self._saver: EpisodeSaver | None = None  # once play is over
        self._closing = False
        self._thread = threading.Thread(target=self.run, name=self.id, daemon=True)

    # -- what the server calls -----------------------------------------------------------------------------------

    @property
    def session(self) -> PlaySession:
        return self._timed.session

    @property
    def state(self) -> State:
        """The session's state."""
        return self._timed.state

    @property
    def dialogue(self) -> tuple[SpokenLine, ...]:
        """Everything that was said."""
        with self._changed:
            return tuple(self._steps.dialogue)

    def start(self) -> None:
        """Run the game in a thread of its own."""
        self._thread.start()

    def join(self, role: Role, name: str) -> None:
        """Let the person with the pseudonym ``name`` play ``role``. Raises TransitionRefused if they cannot."""
        with self._changed:
            if self.session.cast.get(role, Player.PERSON) is not Player.PERSON:
                raise TransitionRefused(Refusal.TAKEN)
            self._happens(SessionEvent.JOIN, role)
            self._names[role] = name

    def do(self, role: Role, event: SessionEvent) -> None:
        """Handle an event that the person in ``role`` causes. Raises TransitionRefused if it is not allowed now."""
        if event is SessionEvent.JOIN or role in self._stand_ins:
            raise TransitionRefused(Refusal.NOT_YOURS)
        with self._changed:
            if event in (SessionEvent.LOST, SessionEvent.LEAVE) and role in self._players.hands:
                self._players.hands[role].rest()
            self._happens(event, role)

    def give(self, role: Role, inputs: Inputs) -> None:
        """Take inputs of the person in ``role``. They are dropped outside of play, and from a co-pilot who watches.

        Raises TransitionRefused if no person plays this role.
        """
        with self._changed:
            if role in self._stand_ins or role not in self.session.here:
                raise TransitionRefused(Refusal.NOT_HERE)
            if self.state is State.PLAYING:
                watches = role is Role.CO_PILOT and not self.session.taken_over
                self._players.hands[role].give(Inputs(held=inputs.held) if watches else inputs)
                self._changed.notify_all()

    def judge(self, role: Role, request_step: int, said: LineVerdict) -> None:
        """In an evaluation: note the setter's verdict on the line of ``request_step``; the last counts.

        Raises TransitionRefused if ``role`` does not judge, or there is no such line.
        """
        with self._changed:
            step = len(self._steps) - (self.state is State.JUDGING)
            self._steps.judged.judge(self.session, role, request_step, said, step)
            self._changed.notify_all()

    def rate(self, role: Role, ratings: HelperRatings) -> None:
        """Note the setter's ratings of the helper, after the play. Raises TransitionRefused if it is not theirs."""
        with self._changed:
            self._steps.judged.rate(self.session, role, ratings)
            self._changed.notify_all()

    def set_prompt(self, prompt: Prompt | None) -> None:
        """Give the setter another prompt, or none. Before play. Raises TransitionRefused if play has begun."""
        with self._changed:
            if self.state not in (State.WAITING, State.READY):
                raise TransitionRefused(Refusal.BEGUN)
            self.config = replace(self.config, prompt=prompt)

    @property
    def own_body(self) -> bool:
        """True if the players have a body of the Playhouse, which is played with keys and mouse."""
        return all(body in BODIES for body in self._live_world.bodies.values())

    @property
    def full_hands(self) -> bool:
        """True if what is held can be rotated and thrown."""
        return self.solver_body == FULL_BODY

    @property
    def turn_based(self) -> bool:
        """True if each step waits for people, so that no clock runs."""
        return self.chooses or (self._live_world.turn_based and Role.SOLVER not in self._stand_ins)

    @property
    def chooses(self) -> bool:
        """True if people choose among actions that the world offers, and use no keys of its own."""
        return bool(self._live_world.boards)

    @property
    def solver_body(self) -> ActionSpec:
        """Actions of the solver."""
        return self._live_world.bodies[SOLVER]

    def keys(self, role: Role) -> list[dict[str, Any]]:
        """Return the keys of a declared body for the page of the person in ``role``; [] in the Playhouse."""
        return [] if self.chooses else [asdict(key) for key in body_keys(self._live_world.bodies[AVATAR[role]])]

    def screen(self, role: Role) -> Screen:
        """Return the screen of the person in ``role``. Raises TransitionRefused if no person plays it."""
        return self._screens.of(role)

    def wait(self, timeout_sec: float | None = None) -> None:
        """Wait until a started game is over, or for ``timeout_sec``."""
        self._thread.join(timeout_sec)

    def close(self, timeout_sec: float = 30.0) -> None:
        """End the game because the server stops; keep what was played, and wait until that is done."""
        with self._changed:
            self._closing = True
            self._changed.notify_all()
        if self._thread.ident is None:
            self.run()  # it was never started: release its resources
        else:
            self._thread.join(timeout_sec)

    # -- the game's own thread -----------------------------------------------------------------------------------

    def run(self) -> None:
        """Play the game from beginning to end; :meth:`start` does so in a thread."""
        try:
            self._gather()
            if not self.session.over:
                self._play()
                self._end()
        except Exception:  # people must not be left with a frozen picture
            _log.exception("game %s", self.id)
            self._trouble = BROKEN
            self._break_off()
        finally:
            self._players.close()
            self._show()
            self._screens.close()
            self._live_world.close()

    def _gather(self) -> None:
        """Wait until play begins or the game is abandoned."""
        while self.state in (State.WAITING, State.READY):
            with self._changed:
                for event, role in self._players.arrivals(self.session):
                    self._trouble = self._players.gone() if event is SessionEvent.FAIL else ""
                    self._happens(event, role)
                self._happens_if(SessionEvent.TIMEOUT, self._timed.time_is_up())
                self._happens_if(SessionEvent.STOP, self._closing)
                self._show()
                if self.state in (State.WAITING, State.READY):
                    self._changed.wait(IDLE_SEC)

    def _play(self) -> None:
        """Play until the episode is over."""
        self._players.begin(self._live_world.world, self.config.seed)
        self._pace.resume()
        self._draw()
        while True:
            with self._changed:
                self._happens_if(SessionEvent.FINISH, len(self._steps) >= self._live_world.most_steps)
                self._happens_if(SessionEvent.STOP, self._closing)
                state = self.state
            if state is State.PAUSED:
                self._pause()
            elif state is not State.PLAYING:
                return
            elif self._turn_comes():
                self._step()

    def _turn_comes(self) -> bool:
        """Return True if the next step can be played; in a turn-based world, wait a moment for that."""
        with self._changed:
            if self._steps.due(self.session.in_control):
                return True
            self._happens_if(SessionEvent.FINISH, self._steps.given_up)
            self._draw()
            self._changed.wait(IDLE_SEC)
            return False

    def _pause(self) -> None:
        """Wait until everybody is back or the time limit of pauses has passed."""
        with self._changed:
            while self.state is State.PAUSED and not self._closing:
                self._happens_if(SessionEvent.TIMEOUT, self._timed.time_is_up())
                self._show()
                if self.state is State.PAUSED:
                    self._changed.wait(IDLE_SEC)
        self._pace.resume()

    def _step(self) -> None:
        """Play one step, unless the world fails."""
        with self._changed:
            in_control, gone = self.session.in_control, self._players.gone()
            self._trouble = f"{gone}: {LOST_AGENT}" if gone else ""
        event = SessionEvent.FINISH
        try:
            goes_on = self._steps.play(in_control)
        except WorldError as error:  # what was played before this step is good
            self._trouble, event, goes_on = str(error), SessionEvent.FAIL, False
        self._happens_if(event, not goes_on)

    # -- the end -------------------------------------------------------------------------------------------------

    def _end(self) -> None:
        """Keep, judge and store what was played; can be called again after an error."""
        if len(self._steps) < self.config.shortest:
            self._happens_if(SessionEvent.JUDGED, self.state is State.JUDGING)
            self._happens(SessionEvent.EMPTY)
            return
        self._saver = self._saver or EpisodeSaver(self._episode(), self._store, self._keeps)
        self._judge(self._saver)
        self._save(self._saver)

    def _judge(self, saver: EpisodeSaver) -> None:
        """Wait until every request has a verdict, or the helper its ratings; each is on disk when the page shows it."""
        while self.state is State.JUDGING:
            note = self._steps.judged.note()
            saver.keep(note)
            with self._changed:
                if note != self._steps.judged.note():
                    continue  # what was said meanwhile is not on disk
                self._happens_if(SessionEvent.JUDGED, self._steps.judged.done)
                self._happens_if(SessionEvent.TIMEOUT, self._timed.time_is_up())
                self._happens_if(SessionEvent.STOP, self._closing)
                self._show()
                if self.state is State.JUDGING:
                    self._changed.wait(self.config.retry_sec if saver.trouble else IDLE_SEC)

    def _save(self, saver: EpisodeSaver) -> None:
        """Store the episode, with retries; the pages report it as saved once it is durable."""
        self._show()
        while not saver.save(self._steps.judged.note()):
            with self._changed:
                if self._closing:
                    saver.give_up()
                    return
                self._show()
                self._changed.wait(self.config.retry_sec)
        self._trouble = ""
        self._happens(SessionEvent.SAVED)

    def _episode(self) -> Episode:
        """Return the played episode, without verdicts."""
        notes = {"prompt": self.config.prompt.note() if self.config.prompt else None, "ended": self.session.why}
        if self._stand_ins:
            notes["late_steps"] = self._players.late_steps
        return self._steps.episode(self.id, self._names, notes)

    def _break_off(self) -> None:
        """Keep what was played after an unexpected error, if possible."""
        with self._changed:
            while self.state not in (State.SAVING, State.ENDED, State.ABANDONED):
                self._happens(SessionEvent.FAIL)
        if self.state is State.SAVING:
            try:
                self._end()
            except Exception:
                _log.exception("game %s cannot be saved", self.id)

    # -- events and views ----------------------------------------------------------------------------------------

    def _happens(self, event: SessionEvent, role: Role | None = None) -> None:
        with self._changed:
            self._timed.happens(event, role)
            self._changed.notify_all()

    def _happens_if(self, event: SessionEvent, condition: bool) -> None:
        """Handle ``event`` if ``condition`` holds and the session still allows it."""
        with self._changed:
            self._timed.happens_if(event, condition)
            if condition:
                self._changed.notify_all()

    def _draw(self) -> None:
        """Draw new pictures and show them."""
        self._screens.draw(self._live_world)
        self._show()

    def _show(self) -> None:
        """Show the present view to everybody."""
        with self._changed:
            self._screens.show(self._view)

    def _view(self, role: Role) -> View:
        session = self.session
        return View(
            **self._steps.shown(role, session),
            state=session.state,
            limit_sec=self._timed.limit_sec(),
            can=tuple(sorted(event.value for event in allowed(session, role))),
            here=tuple(sorted(session.here)),
            ready=tuple(sorted(session.ready)),
            lost=tuple(sorted(session.lost)),
            notice=self._notice(),
            speed=self._pace.speed if session.state is State.PLAYING else 1.0,
            saved=self.id if session.state is State.ENDED else "",
            frame=self._screens.frame(role),
        )

    def _notice(self) -> str:
        late = LATE_AGENT if self._players.late and self.state is State.PLAYING else ""
        known = (self._saver.trouble if self._saver else "") or self._trouble or late
        return known or notice(self.session, self._players.starting, self._pace.speed)
