import assert from "node:assert/strict";
import { test } from "node:test";
import { Answer } from "../src/comparing/bench";
import { command, quickCommand } from "../src/comparing/bench";
import { momentAt } from "../src/comparing/loop";

const fresh = () => new Answer({ id: "p", revision: 0, answer: "" });
const press = (key: string) => command({ key, shiftKey: false, altKey: false, ctrlKey: false, metaKey: false });

test("every answer has a higher revision, and an answer given again says nothing new", () => {
  const answer = fresh();
  assert.deepEqual(answer.give("left"), { id: "p", revision: 1, answer: "left" });
  assert.equal(answer.give("left"), undefined);
  assert.equal(answer.give("same")?.revision, 2);
  assert.equal(answer.give("")?.answer, "");
});

test("undo and redo go through every answer", () => {
  const answer = fresh();
  answer.give("left");
  answer.give("cannot tell");
  assert.deepEqual([answer.undo()?.answer, answer.undo()?.answer, answer.undo()], ["left", "", undefined]);
  assert.deepEqual([answer.redo()?.answer, answer.redo()?.answer, answer.redo()], ["left", "cannot tell", undefined]);
  assert.equal(answer.now.revision, 6);
  answer.undo();
  answer.give("right");
  assert.equal(answer.canRedo, false);
});

test("what the server says counts if it is newer", () => {
  const answer = fresh();
  answer.give("left");
  answer.learn({ id: "p", revision: 1, answer: "right" });
  assert.equal(answer.now.answer, "left");
  answer.learn({ id: "p", revision: 4, answer: "right" });
  assert.equal(answer.give("same")?.revision, 5);
});

test("both clips begin again after a pause on their last picture", () => {
  const at = (seconds: number) => Object.values(momentAt(seconds, 15, 3.75)); // 4 seconds and a pause of 0.7
  assert.deepEqual(at(0), [0, 0]);
  assert.deepEqual(at(3.9), [0, 14]);
  assert.deepEqual(at(4.6), [0, 14]);
  assert.deepEqual(at(4.7), [1, 0]);
  assert.deepEqual(at(4.7 * 3 + 2), [3, 7]);
  for (let step = 0; step < 15; step += 1) assert.equal(momentAt(step / 3.75, 15, 3.75).step, step); // a chosen step is shown
});

test("letters answer, and the keys of every page move and play", () => {
  const answers = ["a", "A", "b", "s", "=", "u"].map((key) => press(key));
  assert.deepEqual(
    answers.map((found) => found && "answer" in found && found.answer),
    ["left", "left", "right", "same", "same", "cannot tell"],
  );
  assert.deepEqual([press("Enter")?.do, press(" ")?.do, press("ArrowLeft")?.do, press("q")], ["next", "toggle", "step", undefined]);
});

test("in teaching the clips have numbers, and their keys answer", () => {
  const answers = ["1", "2", "0", "=", "a", "s"].map((key) => quickCommand({ key, shiftKey: false, altKey: false, ctrlKey: false, metaKey: false }));
  assert.deepEqual(
    answers.map((found) => found && "answer" in found && found.answer),
    ["left", "right", "same", "same", undefined, undefined],
  );
});
