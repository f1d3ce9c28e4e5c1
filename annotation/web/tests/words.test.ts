import assert from "node:assert/strict";
import { test } from "node:test";
import { count, names } from "../src/words";

test("one is one, and any other number are several", () => {
  assert.equal(count(1, "mark"), "1 mark");
  assert.equal(count(0, "mark"), "0 marks");
  assert.equal(count(2, "person", "people"), "2 people");
});

test("a name with invisible characters is typed as it is seen", () => {
  const ann = { name: "A\u200bnn\u2060  B.\ufeff", pseudonym: "p3f9a1c27" };
  assert.ok(names("Ann B.", ann));
  assert.ok(names(" p3f9a1c27 ", ann));
  assert.ok(!names("Ann", ann) && !names("", ann));
  const unseen = { name: "\u200b", pseudonym: "p00000000" };
  assert.ok(!names("", unseen) && !names("\u200b", unseen) && names("p00000000", unseen));
});
