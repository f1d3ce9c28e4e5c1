import assert from "node:assert/strict";
import { test } from "node:test";
import { arrowed, listed, matches, ofGroup, progress } from "../src/playing/choices";
import type { Board, Thing } from "../src/playing/view";

const FRIDGE: Thing = ["near", "fridge", "closed", [["open-3-0", "open"], ["walk_towards-3-0", "walk there"]]];
const GLASS: Thing = ["far", "water glass 2", "on the kitchen table", [["walk_towards-9-0", "walk there"]]];
const ROOM: Thing = ["rooms", "bedroom", "", [["walk_towards-1-0", "walk there"]]];
const BOARD: Board = { step: 4, things: [FRIDGE, GLASS, ROOM], place: "", hands: "", feedback: "", goal: [] };

test("things are listed by reach, rooms apart", () => {
  assert.deepEqual(listed(BOARD, ""), [["Within reach", [FRIDGE]], ["In sight", [GLASS]]]);
  assert.deepEqual(ofGroup(BOARD, "rooms"), [ROOM]);
});

test("typing finds names, places and actions by how their words begin", () => {
  for (const typed of ["", "gla", "GLASS 2", "water table", "walk gl"]) assert.ok(matches(GLASS, typed), typed);
  for (const typed of ["lass", "fridge", "water open"]) assert.ok(!matches(GLASS, typed), typed);
  assert.deepEqual(listed(BOARD, "open"), [["Within reach", [FRIDGE]], ["In sight", []]]);
});

test("progress says what was seen, and that nothing was", () => {
  assert.deepEqual([progress(2, null), progress(2, 0), progress(2, 1), progress(2, 2), progress(1, 0)], ["not seen yet", "0 of 2", "1 of 2", "done", "not done"]);
});

test("arrow keys go from button to button, and up to the field", () => {
  assert.deepEqual([arrowed("ArrowDown", -1, 3), arrowed("ArrowDown", 2, 3), arrowed("ArrowUp", 0, 3), arrowed("End", 0, 3), arrowed("a", 0, 3)], [0, 2, -1, 2, null]);
});
