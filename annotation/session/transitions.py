"""The table of a session's states: for every state and every event a transition, or the name of a refusal.

Pure, like :mod:`annotation.session.states`. The game asks :func:`after` what an event leads to.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from annotation.session.states import OF_PLAYERS, Event, Kind, Player, Refusal, Refused, Role, Session, State


def after(session: Session, event: Event, role: Role | None = None) -> Session:
    """What ``event`` makes of ``session``; ``role`` is whose doing it is, None for the game's own.

    Raises:
      Refused: if it leads nowhere.
    """
    if (role is None) == (event in OF_PLAYERS):
        raise Refused(Refusal.NOT_YOURS)
    if role is not None and role not in session.cast:
        raise Refused(Refusal.NO_SUCH_ROLE)
    if role is not None and not _may(session, event, role):
        raise Refused(Refusal.NOT_YOURS)
    rule = RULES[session.state, event]
    if isinstance(rule, Refusal):
        raise Refused(rule)
    return rule(session, role) if role is not None else rule(session, event)


def allowed(session: Session, role: Role) -> frozenset[Event]:
    """What ``role`` can do now: the events that would not be refused."""

    def leads_somewhere(event: Event) -> bool:
        try:
            after(session, event, role)
        except Refused:
            return False
        return True

    return frozenset(event for event in OF_PLAYERS if leads_somewhere(event))


def _may(session: Session, event: Event, role: Role) -> bool:
    """Whether ``event`` is for ``role`` to cause at all. A solver ends an episode only where no person sets."""
    if event is Event.END and role is Role.SOLVER:
        return session.cast[Role.SETTER] is not Player.PERSON
    return role in OF_PLAYERS[event]


# ---- transitions: (session, role) of players' events, (session, event) of the game's own ---------------------------

Rule = Callable[[Session, "Role | Event"], Session]


def _join(session: Session, role: Role | Event) -> Session:
    assert isinstance(role, Role)
    if role in session.here:
        raise Refused(Refusal.TAKEN)
    here = session.here | {role}
    return replace(session, here=here, state=State.READY if here == set(session.cast) else State.WAITING)


def _ready(session: Session, role: Role | Event) -> Session:
    assert isinstance(role, Role)
    _check_here(session, role)
    return _begin_if_all_are_there(replace(session, ready=session.ready | {role}))


def _lost_before(session: Session, role: Role | Event) -> Session:
    """Before the episode a lost one's place is kept, but it does not begin without them."""
    assert isinstance(role, Role)
    _check_here(session, role)
    return replace(session, lost=session.lost | {role})


def _back_before(session: Session, role: Role | Event) -> Session:
    return _begin_if_all_are_there(_found(session, role))


def _leave_before(session: Session, role: Role | Event) -> Session:
    """Somebody else may take the place; whoever had said ready says it again with the new one."""
    assert isinstance(role, Role)
    _check_here(session, role)
    stand_ins = frozenset(r for r in session.ready if session.cast[r] is not Player.PERSON)
    here, lost = session.here - {role}, session.lost - {role}
    return replace(session, state=State.WAITING, here=here, lost=lost, ready=stand_ins - {role})


def _pause(session: Session, role: Role | Event) -> Session:
    return replace(_lost_before(session, role), state=State.PAUSED)


def _back(session: Session, role: Role | Event) -> Session:
    found = _found(session, role)
    return found if found.lost else replace(found, state=State.PLAYING)


def _leave(session: Session, role: Role | Event) -> Session:
    """Whoever leaves ends it for all: what was asked for or done cannot be finished without them."""
    assert isinstance(role, Role)
    _check_here(session, role)
    return replace(session, state=State.SAVING, why=f"{role} left", taken_over=False)


def _leave_after(session: Session, role: Role | Event) -> Session:
    assert isinstance(role, Role)
    _check_here(session, role)
    return replace(session, here=session.here - {role}, lost=session.lost - {role}, ready=session.ready - {role})


def _take_over(session: Session, role: Role | Event) -> Session:
    if session.taken_over:
        raise Refused(Refusal.IN_CONTROL)
    return replace(session, taken_over=True)


def _hand_back(session: Session, role: Role | Event) -> Session:
    if not session.taken_over:
        raise Refused(Refusal.NOT_IN_CONTROL)
    return replace(session, taken_over=False)


def _end(session: Session, role: Role | Event) -> Session:
    return _over(session, f"ended by the {role}")


def _save(session: Session, event: Role | Event) -> Session:
    """The episode is over by itself. Nobody is asked to judge it when the setter is lost or the server stops."""
    if event is Event.TIMEOUT:
        why = f"lost {' and '.join(sorted(session.lost))}"
    else:
        why = {Event.FINISH: "complete", Event.FAIL: "failed", Event.STOP: "the server stopped"}[Event(event)]
    over = _over(session, why)
    return replace(over, state=State.SAVING) if event in (Event.TIMEOUT, Event.STOP) else over


def _over(session: Session, why: str) -> Session:
    state = State.JUDGING if session.kind is Kind.EVALUATION else State.SAVING
    return replace(session, state=state, why=why, taken_over=False)


def _judged(session: Session, role_or_event: Role | Event) -> Session:
    """Enough has been judged, or whoever judges has left, or does not come back."""
    if isinstance(role_or_event, Role):
        _check_here(session, role_or_event)
    return replace(session, state=State.SAVING)


def _abandon(session: Session, event: Role | Event) -> Session:
    why = {
        Event.TIMEOUT: "not everybody came and was ready in time",
        Event.FAIL: "failed",
        Event.STOP: "the server stopped",
        Event.EMPTY: session.why,
    }[Event(event)]
    return replace(session, state=State.ABANDONED, why=why, taken_over=False)


def _ended(session: Session, event: Role | Event) -> Session:
    return replace(session, state=State.ENDED)


def _check_here(session: Session, role: Role) -> None:
    if role not in session.here:
        raise Refused(Refusal.NOT_HERE)


def _found(session: Session, role: Role | Event) -> Session:
    assert isinstance(role, Role)
    _check_here(session, role)
    if role not in session.lost:
        raise Refused(Refusal.NOT_LOST)
    return replace(session, lost=session.lost - {role})


def _begin_if_all_are_there(session: Session) -> Session:
    all_are = session.here == session.ready == set(session.cast) and not session.lost
    return replace(session, state=State.PLAYING) if all_are else session


# ---- the table -----------------------------------------------------------------------------------------------------

_BEFORE: Mapping[Event, Rule | Refusal] = {
    Event.JOIN: _join,
    Event.READY: _ready,
    Event.LOST: _lost_before,
    Event.BACK: _back_before,
    Event.LEAVE: _leave_before,
    Event.TAKE_OVER: Refusal.NOT_YET,
    Event.HAND_BACK: Refusal.NOT_YET,
    Event.END: Refusal.NOT_YET,
    Event.TIMEOUT: _abandon,
    Event.FINISH: Refusal.NOT_YET,
    Event.JUDGED: Refusal.NOT_YET,
    Event.FAIL: _abandon,
    Event.STOP: _abandon,
    Event.SAVED: Refusal.NOT_YET,
    Event.EMPTY: Refusal.NOT_YET,
}
_PLAYING: Mapping[Event, Rule | Refusal] = {
    Event.JOIN: Refusal.BEGUN,
    Event.READY: Refusal.BEGUN,
    Event.LOST: _pause,
    Event.BACK: Refusal.NOT_LOST,
    Event.LEAVE: _leave,
    Event.TAKE_OVER: _take_over,
    Event.HAND_BACK: _hand_back,
    Event.END: _end,
    Event.TIMEOUT: Refusal.NOT_TIMED,
    Event.FINISH: _save,
    Event.JUDGED: Refusal.STILL_OPEN,
    Event.FAIL: _save,
    Event.STOP: _save,
    Event.SAVED: Refusal.STILL_OPEN,
    Event.EMPTY: Refusal.STILL_OPEN,
}
_PAUSED: Mapping[Event, Rule | Refusal] = {
    **_PLAYING,
    Event.BACK: _back,
    Event.TAKE_OVER: Refusal.STANDS_STILL,
    Event.HAND_BACK: Refusal.STANDS_STILL,
    Event.TIMEOUT: _save,
    Event.FINISH: _save,  # the step under way when somebody was lost may have been the last
}
_AFTER: Mapping[Event, Rule | Refusal] = {
    **dict.fromkeys(Event, Refusal.IS_OVER),
    Event.LOST: _lost_before,
    Event.BACK: _found,
    Event.LEAVE: _leave_after,
}
_JUDGING: Mapping[Event, Rule | Refusal] = {
    **_AFTER,
    **dict.fromkeys((Event.JUDGED, Event.LEAVE, Event.TIMEOUT, Event.FAIL, Event.STOP), _judged),
}
RULES: Mapping[tuple[State, Event], Rule | Refusal] = {
    (state, event): rules[event]
    for state, rules in {
        State.WAITING: _BEFORE,
        State.READY: {**_BEFORE, Event.JOIN: Refusal.TAKEN},
        State.PLAYING: _PLAYING,
        State.PAUSED: _PAUSED,
        State.JUDGING: _JUDGING,
        State.SAVING: {**_AFTER, Event.SAVED: _ended, Event.EMPTY: _abandon},
        State.ENDED: _AFTER,
        State.ABANDONED: _AFTER,
    }.items()
    for event in Event
}
