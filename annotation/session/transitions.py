"""Transitions of a play session: two tables, of the events that players cause and of those of the game itself.

For every state and every event a table has a function that returns the next session, or the reason for a refusal.
Pure, like :mod:`annotation.session.states`. The game calls :func:`transition`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from annotation.session.states import (
    JUDGED_BY_SETTER,
    OF_PLAYERS,
    Player,
    PlaySession,
    Refusal,
    Role,
    SessionEvent,
    State,
    TransitionRefused,
)

PlayerRule = Callable[[PlaySession, Role], PlaySession]
GameRule = Callable[[PlaySession, SessionEvent], PlaySession]


def transition(session: PlaySession, event: SessionEvent, role: Role | None = None) -> PlaySession:
    """Return the session after an event.

    Args:
      role: the player who causes it; None for an event of the game itself.

    Raises TransitionRefused if the event is not allowed now.
    """
    if (role is None) == (event in OF_PLAYERS):
        raise TransitionRefused(Refusal.NOT_YOURS)
    if role is None:
        game_rule = GAME_RULES[session.state, event]
        if isinstance(game_rule, Refusal):
            raise TransitionRefused(game_rule)
        return game_rule(session, event)
    if role not in session.cast:
        raise TransitionRefused(Refusal.NO_SUCH_ROLE)
    if not _may(session, event, role):
        raise TransitionRefused(Refusal.NOT_YOURS)
    rule = PLAYER_RULES[session.state, event]
    if isinstance(rule, Refusal):
        raise TransitionRefused(rule)
    return rule(session, role)


def allowed(session: PlaySession, role: Role) -> frozenset[SessionEvent]:
    """Return the events that ``role`` can cause now."""

    def is_allowed(event: SessionEvent) -> bool:
        try:
            transition(session, event, role)
        except TransitionRefused:
            return False
        return True

    return frozenset(event for event in OF_PLAYERS if is_allowed(event))


def _may(session: PlaySession, event: SessionEvent, role: Role) -> bool:
    """Return True if ``role`` may cause ``event`` at all. A solver ends an episode only where no person sets."""
    if event is SessionEvent.END and role is Role.SOLVER:
        return session.cast[Role.SETTER] is not Player.PERSON
    return role in OF_PLAYERS[event]


# ---- events of players ---------------------------------------------------------------------------------------------


def _join(session: PlaySession, role: Role) -> PlaySession:
    if role in session.here:
        raise TransitionRefused(Refusal.TAKEN)
    here = session.here | {role}
    return replace(session, here=here, state=State.READY if here == set(session.cast) else State.WAITING)


def _ready(session: PlaySession, role: Role) -> PlaySession:
    _check_here(session, role)
    return _begin_if_all_are_there(replace(session, ready=session.ready | {role}))


def _lose(session: PlaySession, role: Role) -> PlaySession:
    """Before and after the episode: the place is kept. The episode does not begin while a player is lost."""
    _check_here(session, role)
    return replace(session, lost=session.lost | {role})


def _return_before(session: PlaySession, role: Role) -> PlaySession:
    return _begin_if_all_are_there(_return(session, role))


def _leave_before(session: PlaySession, role: Role) -> PlaySession:
    """Free the place. The people who were ready have to be ready again with the new player."""
    _check_here(session, role)
    stand_ins = frozenset(r for r in session.ready if session.cast[r] is not Player.PERSON)
    here, lost = session.here - {role}, session.lost - {role}
    return replace(session, state=State.WAITING, here=here, lost=lost, ready=stand_ins - {role})


def _pause(session: PlaySession, role: Role) -> PlaySession:
    return replace(_lose(session, role), state=State.PAUSED)


def _resume(session: PlaySession, role: Role) -> PlaySession:
    returned = _return(session, role)
    return returned if returned.lost else replace(returned, state=State.PLAYING)


def _leave(session: PlaySession, role: Role) -> PlaySession:
    """End the episode for everybody: a request cannot be finished without both players."""
    _check_here(session, role)
    return replace(session, state=State.SAVING, why=f"{role} left", taken_over=False)


def _leave_after(session: PlaySession, role: Role) -> PlaySession:
    _check_here(session, role)
    return replace(session, here=session.here - {role}, lost=session.lost - {role}, ready=session.ready - {role})


def _leave_judging(session: PlaySession, role: Role) -> PlaySession:
    _check_here(session, role)
    return replace(session, state=State.SAVING)


def _take_over(session: PlaySession, role: Role) -> PlaySession:
    if session.taken_over:
        raise TransitionRefused(Refusal.IN_CONTROL)
    return replace(session, taken_over=True)


def _hand_back(session: PlaySession, role: Role) -> PlaySession:
    if not session.taken_over:
        raise TransitionRefused(Refusal.NOT_IN_CONTROL)
    return replace(session, taken_over=False)


def _end(session: PlaySession, role: Role) -> PlaySession:
    return _over(session, f"ended by the {role}")


def _return(session: PlaySession, role: Role) -> PlaySession:
    _check_here(session, role)
    if role not in session.lost:
        raise TransitionRefused(Refusal.NOT_LOST)
    return replace(session, lost=session.lost - {role})


# ---- events of the game --------------------------------------------------------------------------------------------


def _finish(session: PlaySession, event: SessionEvent) -> PlaySession:
    """End the episode. Nothing is judged when the setter is lost or the server stops."""
    if event is SessionEvent.TIMEOUT:
        why = f"lost {' and '.join(sorted(session.lost))}"
    else:
        why = _WHY_FINISHED[event]
    over = _over(session, why)
    return replace(over, state=State.SAVING) if event in (SessionEvent.TIMEOUT, SessionEvent.STOP) else over


def _end_judging(session: PlaySession, event: SessionEvent) -> PlaySession:
    return replace(session, state=State.SAVING)


def _abandon(session: PlaySession, event: SessionEvent) -> PlaySession:
    why = session.why if event is SessionEvent.EMPTY else _WHY_ABANDONED[event]
    return replace(session, state=State.ABANDONED, why=why, taken_over=False)


def _saved(session: PlaySession, event: SessionEvent) -> PlaySession:
    return replace(session, state=State.ENDED)


_WHY_FINISHED = {
    SessionEvent.FINISH: "complete",
    SessionEvent.FAIL: "failed",
    SessionEvent.STOP: "the server stopped",
}
_WHY_ABANDONED = {
    SessionEvent.TIMEOUT: "not everybody came and was ready in time",
    SessionEvent.FAIL: "failed",
    SessionEvent.STOP: "the server stopped",
}


# ---- what both have in common --------------------------------------------------------------------------------------


def _over(session: PlaySession, why: str) -> PlaySession:
    state = State.JUDGING if session.kind in JUDGED_BY_SETTER else State.SAVING
    return replace(session, state=state, why=why, taken_over=False)


def _check_here(session: PlaySession, role: Role) -> None:
    if role not in session.here:
        raise TransitionRefused(Refusal.NOT_HERE)


def _begin_if_all_are_there(session: PlaySession) -> PlaySession:
    all_are = session.here == session.ready == set(session.cast) and not session.lost
    return replace(session, state=State.PLAYING) if all_are else session


# ---- the tables ----------------------------------------------------------------------------------------------------

_PLAYER_EVENTS = tuple(OF_PLAYERS)
_GAME_EVENTS = tuple(event for event in SessionEvent if event not in OF_PLAYERS)

_BEFORE: Mapping[SessionEvent, PlayerRule | Refusal] = {
    SessionEvent.JOIN: _join,
    SessionEvent.READY: _ready,
    SessionEvent.LOST: _lose,
    SessionEvent.BACK: _return_before,
    SessionEvent.LEAVE: _leave_before,
    SessionEvent.TAKE_OVER: Refusal.NOT_YET,
    SessionEvent.HAND_BACK: Refusal.NOT_YET,
    SessionEvent.END: Refusal.NOT_YET,
}
_PLAYING: Mapping[SessionEvent, PlayerRule | Refusal] = {
    SessionEvent.JOIN: Refusal.BEGUN,
    SessionEvent.READY: Refusal.BEGUN,
    SessionEvent.LOST: _pause,
    SessionEvent.BACK: Refusal.NOT_LOST,
    SessionEvent.LEAVE: _leave,
    SessionEvent.TAKE_OVER: _take_over,
    SessionEvent.HAND_BACK: _hand_back,
    SessionEvent.END: _end,
}
_PAUSED: Mapping[SessionEvent, PlayerRule | Refusal] = {
    **_PLAYING,
    SessionEvent.BACK: _resume,
    SessionEvent.TAKE_OVER: Refusal.STANDS_STILL,
    SessionEvent.HAND_BACK: Refusal.STANDS_STILL,
}
_AFTER: Mapping[SessionEvent, PlayerRule | Refusal] = {
    **dict.fromkeys(_PLAYER_EVENTS, Refusal.IS_OVER),
    SessionEvent.LOST: _lose,
    SessionEvent.BACK: _return,
    SessionEvent.LEAVE: _leave_after,
}
PLAYER_RULES: Mapping[tuple[State, SessionEvent], PlayerRule | Refusal] = {
    (state, event): rules[event]
    for state, rules in {
        State.WAITING: _BEFORE,
        State.READY: {**_BEFORE, SessionEvent.JOIN: Refusal.TAKEN},
        State.PLAYING: _PLAYING,
        State.PAUSED: _PAUSED,
        State.JUDGING: {**_AFTER, SessionEvent.LEAVE: _leave_judging},
        State.SAVING: _AFTER,
        State.ENDED: _AFTER,
        State.ABANDONED: _AFTER,
    }.items()
    for event in _PLAYER_EVENTS
}

_GAME_BEFORE: Mapping[SessionEvent, GameRule | Refusal] = {
    SessionEvent.TIMEOUT: _abandon,
    SessionEvent.FINISH: Refusal.NOT_YET,
    SessionEvent.JUDGED: Refusal.NOT_YET,
    SessionEvent.FAIL: _abandon,
    SessionEvent.STOP: _abandon,
    SessionEvent.SAVED: Refusal.NOT_YET,
    SessionEvent.EMPTY: Refusal.NOT_YET,
}
_GAME_PLAYING: Mapping[SessionEvent, GameRule | Refusal] = {
    SessionEvent.TIMEOUT: Refusal.NOT_TIMED,
    SessionEvent.FINISH: _finish,
    SessionEvent.JUDGED: Refusal.STILL_OPEN,
    SessionEvent.FAIL: _finish,
    SessionEvent.STOP: _finish,
    SessionEvent.SAVED: Refusal.STILL_OPEN,
    SessionEvent.EMPTY: Refusal.STILL_OPEN,
}
_GAME_AFTER: Mapping[SessionEvent, GameRule | Refusal] = dict.fromkeys(_GAME_EVENTS, Refusal.IS_OVER)
_GAME_JUDGING: Mapping[SessionEvent, GameRule | Refusal] = {
    **_GAME_AFTER,
    SessionEvent.JUDGED: _end_judging,
    SessionEvent.TIMEOUT: _end_judging,
    SessionEvent.FAIL: _end_judging,
    SessionEvent.STOP: _end_judging,
}
GAME_RULES: Mapping[tuple[State, SessionEvent], GameRule | Refusal] = {
    (state, event): rules[event]
    for state, rules in {
        State.WAITING: _GAME_BEFORE,
        State.READY: _GAME_BEFORE,
        State.PLAYING: _GAME_PLAYING,
        # The step under way when a player was lost may have been the last, so FINISH is possible here, too.
        State.PAUSED: {**_GAME_PLAYING, SessionEvent.TIMEOUT: _finish},
        State.JUDGING: _GAME_JUDGING,
        State.SAVING: {**_GAME_AFTER, SessionEvent.SAVED: _saved, SessionEvent.EMPTY: _abandon},
        State.ENDED: _GAME_AFTER,
        State.ABANDONED: _GAME_AFTER,
    }.items()
    for event in _GAME_EVENTS
}
