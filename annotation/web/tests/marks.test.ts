import assert from "node:assert/strict";
import { test } from "node:test";
import { stretchAt, stretches } from "../src/episode/requests";
import type { Mark, Words } from "../src/episode/types";
import { Marks } from "../src/marking/marks";
import { command } from "../src/marking/keys";

function fresh(steps = 20): Marks {
  let next = 0;
  return new Marks([], steps, () => `mark-${(next += 1)}`);
}

const said = (step: number, who: Words["who"]): Words => ({ step, who, words: "hello" });
const shown = (marks: Marks) => marks.living().map((mark) => [mark.step, mark.sign]);

test("a step has one mark, of the sign that was given last", () => {
  const marks = fresh();
  marks.put(5, 1);
  assert.equal(marks.put(5, 1), undefined);
  assert.equal(marks.put(5, -1)?.revision, 2);
  assert.deepEqual(shown(marks), [[5, -1]]);
});

test("every change has a higher revision than the one before, undone ones too", () => {
  const marks = fresh();
  const said = [marks.put(5, 1), marks.move("mark-1", 7), marks.remove("mark-1"), marks.undo(), marks.undo(), marks.undo(), marks.redo()];
  assert.deepEqual(said.map((mark) => mark?.revision), [1, 2, 3, 4, 5, 6, 7]);
  assert.deepEqual(shown(marks), [[5, 1]]);
});

test("undo and redo go through every state, and a new change ends redo", () => {
  const marks = fresh();
  const states = [shown(marks)];
  for (const change of [() => marks.put(3, 1), () => marks.put(9, -1), () => marks.move("mark-1", 4), () => marks.remove("mark-2")]) {
    change();
    states.push(shown(marks));
  }
  for (const state of states.slice(0, -1).reverse()) {
    marks.undo();
    assert.deepEqual(shown(marks), state);
  }
  assert.equal(marks.undo(), undefined);
  for (const state of states.slice(1)) {
    marks.redo();
    assert.deepEqual(shown(marks), state);
  }
  marks.undo();
  marks.put(1, 1);
  assert.equal(marks.canRedo, false);
});

test("a request has one verdict, which is no mark of a moment and is undone like one", () => {
  const marks = fresh();
  const requests = stretches([said(2, "setter"), said(4, "solver"), said(9, "setter"), said(19, "setter")], 20);
  assert.deepEqual(requests, [{ begin: 3, until: 10 }, { begin: 10, until: 20 }]);
  assert.deepEqual([0, 9, 10, 19].map((step) => stretchAt(requests, step)?.begin), [3, 3, 10, 10]);
  assert.equal(stretchAt([], 4), undefined);
  marks.put(3, 1);
  marks.judge(requests[0]!, 1);
  assert.equal(marks.judge(requests[0]!, 1), undefined);
  assert.equal(marks.judge(requests[0]!, -1)?.revision, 2);
  assert.deepEqual(marks.verdicts().map(({ step, until, sign }) => [step, until, sign]), [[3, 10, -1]]);
  assert.deepEqual(shown(marks), [[3, 1]]);
  assert.equal(marks.undo()?.sign, 1);
  assert.equal(marks.kept.length, 2);
});

test("a moved mark jumps over others and stays inside the episode", () => {
  const marks = fresh(6);
  for (const step of [2, 3, 5]) marks.put(step, 1);
  assert.equal(marks.move("mark-1", 3)?.step, 4);
  assert.equal(marks.move("mark-1", 99), undefined); // the last step is taken, and there is none beyond it
  assert.equal(marks.move("mark-2", -3)?.step, 0);
  assert.deepEqual(shown(marks), [[0, 1], [4, 1], [5, 1]]);
});

test("what the server says counts if it is newer", () => {
  const mark = (revision: number, step: number): Mark => ({ id: "a", revision, step, sign: 1, deleted: false });
  const marks = new Marks([mark(3, 4)], 10);
  assert.equal(marks.learn(mark(2, 8)), false);
  assert.deepEqual(shown(marks), [[4, 1]]);
  assert.equal(marks.learn(mark(4, 8)), true);
  assert.deepEqual(shown(marks), [[8, 1]]);
});

test("keys ask for what the page says they do", () => {
  const press = (key: string, held: Partial<Record<"shiftKey" | "altKey" | "ctrlKey" | "metaKey", boolean>> = {}) =>
    command({ key, shiftKey: false, altKey: false, ctrlKey: false, metaKey: false, ...held });
  assert.deepEqual(press("+", { shiftKey: true }), { do: "put", sign: 1 });
  assert.deepEqual(press("-"), { do: "put", sign: -1 });
  assert.deepEqual([press("s"), press("f")], [{ do: "judge", sign: 1 }, { do: "judge", sign: -1 }]);
  assert.deepEqual(press("ArrowRight", { shiftKey: true }), { do: "step", by: 10 });
  assert.deepEqual(press("ArrowLeft", { altKey: true }), { do: "nudge", by: -1 });
  assert.deepEqual(press("Z", { ctrlKey: true, shiftKey: true }), { do: "redo" });
  assert.deepEqual(press("z", { metaKey: true }), { do: "undo" });
  assert.equal(press("-", { ctrlKey: true }), undefined); // the browser's zoom
  assert.equal(press("r", { ctrlKey: true }), undefined);
});
