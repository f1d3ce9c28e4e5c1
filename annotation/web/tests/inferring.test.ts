import assert from "node:assert/strict";
import { test } from "node:test";
import { countOf, Goal, inWords } from "../src/inferring/goal";
import { command } from "../src/inferring/bench";

const PLATES = { name: "on_plate_kitchentable", words: "plates", most: 4 };
const FORKS = { name: "on_cutleryfork_kitchentable", words: "forks", most: 4 };
const SOFA = { name: "sit_sofa", words: "sits on the sofa", most: 1 };
const GROUPS = [
  { group: "on the kitchen table", choices: [PLATES, FORKS] },
  { group: "Alice herself", choices: [SOFA] },
];
const fresh = () => new Goal({ id: "a", revision: 0, goal: {} });

test("counts stay between none and the most, and nothing new is nothing to send", () => {
  const goal = fresh();
  assert.equal(goal.say(PLATES, 0), undefined);
  assert.deepEqual(goal.say(PLATES, 2)?.goal, { on_plate_kitchentable: 2 });
  assert.equal(goal.say(PLATES, 2), undefined);
  assert.deepEqual(goal.say(PLATES, 99)?.goal, { on_plate_kitchentable: 4 });
  assert.deepEqual(goal.say(SOFA, 3)?.goal, { on_plate_kitchentable: 4, sit_sofa: 1 });
  assert.deepEqual(goal.say(PLATES, -1)?.goal, { sit_sofa: 1 });
  assert.equal(goal.empty, false);
  assert.deepEqual(goal.clear()?.goal, {});
  assert.equal(goal.empty, true);
  assert.equal(goal.clear(), undefined);
});

test("to leave it open is an answer of its own", () => {
  const goal = fresh();
  assert.deepEqual(goal.leaveOpen(), { id: "a", revision: 1, goal: {} });
});

test("every change has a higher revision, undone ones too; undo and redo go through every state", () => {
  const goal = fresh();
  const states = [goal.now.goal];
  for (const change of [() => goal.say(PLATES, 1), () => goal.say(PLATES, 2), () => goal.say(FORKS, 1), () => goal.clear()]) {
    change();
    states.push(goal.now.goal);
  }
  for (const state of states.slice(0, -1).reverse()) {
    goal.undo();
    assert.deepEqual(goal.now.goal, state);
  }
  for (const state of states.slice(1)) {
    goal.redo();
    assert.deepEqual(goal.now.goal, state);
  }
  assert.equal(goal.now.revision, 12);
  goal.learn({ id: "a", revision: 11, goal: {} });
  goal.learn({ id: "a", revision: 13, goal: { sit_sofa: 1 } });
  assert.deepEqual(goal.now.goal, { sit_sofa: 1 });
});

test("the goal is said in words, group by group", () => {
  assert.deepEqual(inWords({}, GROUPS), []);
  assert.deepEqual(inWords({ on_plate_kitchentable: 2, on_cutleryfork_kitchentable: 1, sit_sofa: 1 }, GROUPS), [
    "on the kitchen table: plates × 2, forks × 1",
    "Alice herself: sits on the sofa",
  ]);
});

test("keys of a line set its count, and other keys are left to the film", () => {
  const count = (key: string, now: number, code?: string) => countOf({ key, code, shiftKey: false, altKey: false, ctrlKey: false, metaKey: false }, now, 8);
  assert.equal(count("3", 0), 3);
  assert.equal(count("9", 0), undefined);
  assert.equal(count("ArrowUp", 8), 8);
  assert.equal(count("ArrowDown", 1), 0);
  assert.equal(count("-", 2, "Minus"), 1);
  assert.equal(count("-", 2, "Digit6"), 6); // on a French keyboard, which has the digit with Shift
  assert.equal(count("Delete", 3), 0);
  assert.equal(count(" ", 3), undefined);
  assert.equal(count("ArrowRight", 3), undefined);
});

test("keys of the page", () => {
  const press = (key: string, ctrlKey = false) => command({ key, shiftKey: false, altKey: false, ctrlKey, metaKey: false });
  assert.deepEqual(press("Enter"), { do: "next" });
  assert.deepEqual(press("G"), { do: "form" });
  assert.deepEqual(press(" "), { do: "toggle" });
  assert.deepEqual(press("z", true), { do: "undo" });
  assert.equal(press("q"), undefined);
});
