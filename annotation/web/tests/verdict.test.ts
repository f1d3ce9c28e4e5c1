import assert from "node:assert/strict";
import { test } from "node:test";
import { command } from "../src/judging/bench";
import { Verdict } from "../src/judging/verdict";

const fresh = () => new Verdict({ id: "a", revision: 0, success: null, step: null, left_out: "" }, 10, 20);
const shown = (verdict: Verdict) => [verdict.now.success, verdict.now.step];

test("success has a moment after the take-over", () => {
  const verdict = fresh();
  assert.equal(verdict.succeed(9), undefined);
  assert.equal(verdict.succeed(20), undefined);
  assert.deepEqual(shown(verdict), [null, null]);
  assert.equal(verdict.succeed(10)?.revision, 1);
  assert.equal(verdict.succeed(10), undefined); // said already
  assert.deepEqual(shown(verdict), [true, 10]);
});

test("failure has none, and success takes its place", () => {
  const verdict = fresh();
  verdict.fail();
  assert.deepEqual(shown(verdict), [false, null]);
  assert.equal(verdict.move(15), undefined);
  verdict.succeed(12);
  assert.deepEqual(shown(verdict), [true, 12]);
});

test("the moment of success moves within what is judged", () => {
  const verdict = fresh();
  verdict.succeed(12);
  assert.equal(verdict.move(3)?.step, 10);
  assert.equal(verdict.move(99)?.step, 19);
  assert.equal(verdict.move(99), undefined);
});

test("every change has a higher revision, undone ones too; undo and redo go through every state", () => {
  const verdict = fresh();
  const states = [shown(verdict)];
  for (const change of [() => verdict.succeed(12), () => verdict.fail(), () => verdict.succeed(15), () => verdict.move(16), () => verdict.takeBack()]) {
    change();
    states.push(shown(verdict));
  }
  for (const state of states.slice(0, -1).reverse()) {
    verdict.undo();
    assert.deepEqual(shown(verdict), state);
  }
  assert.equal(verdict.undo(), undefined);
  for (const state of states.slice(1)) {
    verdict.redo();
    assert.deepEqual(shown(verdict), state);
  }
  assert.equal(verdict.now.revision, 15);
  verdict.undo();
  verdict.fail();
  assert.equal(verdict.canRedo, false);
});

test("what the server says counts if it is newer", () => {
  const verdict = fresh();
  verdict.succeed(12);
  verdict.fail();
  assert.equal(verdict.learn({ id: "a", revision: 1, success: true, step: 12, left_out: "" }), false);
  assert.deepEqual(shown(verdict), [false, null]);
  assert.equal(verdict.learn({ id: "a", revision: 7, success: true, step: 13, left_out: "" }), true);
  assert.deepEqual(shown(verdict), [true, 13]);
  assert.equal(verdict.fail()?.revision, 8);
});

test("keys ask for what the page says they do", () => {
  const press = (key: string, ctrlKey = false) => command({ key, shiftKey: false, altKey: false, ctrlKey, metaKey: false });
  assert.deepEqual(press("S"), { do: "succeed" });
  assert.deepEqual(press("f"), { do: "fail" });
  assert.deepEqual(press("Enter"), { do: "next" });
  assert.deepEqual(press("t"), { do: "take-over" });
  assert.deepEqual(press("ArrowLeft"), { do: "step", by: -1 });
  assert.equal(press("s", true), undefined); // the browser's
  assert.equal(press("p"), undefined); // marking's own
});

test("a continuation that cannot be judged has neither success nor moment", () => {
  const verdict = fresh();
  verdict.succeed(12);
  assert.equal(verdict.leaveOut("no request")?.left_out, "no request");
  assert.deepEqual(shown(verdict), [null, null]);
  assert.equal(verdict.given, true);
  verdict.undo();
  assert.deepEqual([...shown(verdict), verdict.now.left_out], [true, 12, ""]);
  verdict.takeBack();
  assert.equal(verdict.given, false);
});
