import assert from "node:assert/strict";
import { test } from "node:test";
import { passedFrom } from "../src/episode/player";
import { question, Seen } from "../src/marking/seen";

test("what was seen before and what is seen now are one set of steps", () => {
  const seen = new Seen([[0, 2], [7, 7]], 10);
  for (const step of [3, 3, 8]) seen.add(step);
  assert.deepEqual(seen.ranges(), [[0, 3], [7, 8]]);
  assert.equal(seen.share(), 0.6);
  assert.deepEqual(new Seen([], 4).ranges(), []);
});

test("there are never more ranges than the server takes", () => {
  const seen = new Seen([], 20);
  for (const step of [0, 2, 9, 15]) seen.add(step);
  assert.deepEqual(seen.ranges(2), [[0, 2], [9, 15]]);
});

test("only what is empty or barely seen is asked about", () => {
  assert.equal(question(3, 0.8), "");
  assert.match(question(0, 0.8), /^You have marked nothing in this episode/);
  assert.match(question(3, 0.123), /^You have seen 12% of this episode\. Submit/);
  assert.match(question(0, 0), /^You have seen 0% of this episode and marked nothing/);
});

test("what playing passes between two pictures is seen, but not while nobody can watch", () => {
  assert.equal(passedFrom(10, 14, 17), 11);
  assert.equal(passedFrom(10, 10, 17), 10); // a step that lasts for several pictures
  assert.equal(passedFrom(10, 900, 60_000), 900); // the page was hidden
});
