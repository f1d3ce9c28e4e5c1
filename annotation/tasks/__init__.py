"""Rater tasks: marking, judging, comparing and inferring are four declarations of one task.

A *task* (:class:`annotation.tasks.contract.RaterTask`) is work on *items*. An item is an episode or, in comparing, a
pair of clips. A declaration answers five questions, and everything else is done once for all of them:

- *What is chosen?* ``holds`` says which datasets have items, ``facts`` what is noted of each of their episodes
  (comparing draws pairs instead, see ``draw``), ``Settings`` what a leader sets, besides the number of raters of each
  item and whether items are handed out.
- *What is shown?* ``clips`` and ``film`` name the pictures, ``page`` the rest. Pages are made of words, frames and
  facts alone, and none of these says whose play it is: raters and judges are blind.
- *What is asked?* ``Answer``, a pydantic model, is one thing that a rater says: a mark, a verdict, a choice, a goal.
  An item has one answer or, in marking, ``many``.
- *What is checked?* ``check`` refuses an answer that its item does not allow.
- *What is recorded?* ``records`` makes the dataset's records of submitted work, and ``write`` adds them.

The server has three tables for all kinds (:mod:`annotation.server.db.tables`): items; assignments, each an item that a
rater has or had, with its lease (``locked_until``), place, time of work and what became of it (submitted, exported,
gold, sent back); and answers, JSON of the declaration's model. Browsers give each answer an id and a revision. The
highest revision counts, so answers may arrive twice and in any order, and undo is a further revision.

- ``services/items.py`` lists and draws items, ``services/tasks.py`` gives them out, saves answers and submits;
- ``routes/tasks.py`` serves ``/api/tasks/{kind}/...`` to the declaration's ``role``;
- ``export/submitted.py`` writes what is submitted into the datasets, in one loop over all kinds;
- ``annotation/web/src/bench`` is the bench in the browser; a folder beside it has each kind's controls.

Gold episodes, feedback after training, and work that is sent back belong to marking alone.

To add a task: a subclass of ``RaterTask`` and a row here, its page in the browser, and its rows in ``EXPECTED`` of
``tests/unit/annotation/server/test_policies.py``.
"""

from __future__ import annotations

from annotation.tasks.comparing import Comparing
from annotation.tasks.contract import RaterTask
from annotation.tasks.inferring import Inferring
from annotation.tasks.judging import Judging
from annotation.tasks.marking import Marking

MARKING, JUDGING, COMPARING, INFERRING = Marking(), Judging(), Comparing(), Inferring()
TASKS: dict[str, RaterTask] = {task.kind: task for task in (MARKING, JUDGING, COMPARING, INFERRING)}
