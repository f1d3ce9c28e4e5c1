import assert from "node:assert/strict";
import { test } from "node:test";
import { command as compare } from "../src/comparing/bench";
import { command as mark } from "../src/marking/keys";
import { command as judge } from "../src/judging/bench";
import { declaredKey, keyOf, written, type Press } from "../src/keyboard";
import { lessonsOf } from "../src/playing/tutorial";

const press = (code: string, key: string, held: Partial<Press> = {}): Press => ({ key, code, shiftKey: false, altKey: false, ctrlKey: false, metaKey: false, ...held });

const VERDICTS = "ynx";
const NUMBERED = ["KeyD", "KeyT", "Period", "Space", "ArrowUp", "Digit1", "Digit6"]; // of a declared body

test("letters are those that a key types, and of another script those at its place", () => {
  const presses: [string, string, string | undefined][] = [
    ["KeyY", "y", "y"],
    ["KeyY", "Y", "y"], // with Caps Lock
    ["KeyZ", "y", "y"], // German
    ["KeyY", "z", undefined],
    ["KeyT", "y", "y"], // Dvorak
    ["KeyN", "b", undefined],
    ["KeyY", "н", "y"], // Russian
    ["KeyX", "Ч", "x"],
    ["KeyX", "χ", "x"], // Greek
    ["KeyN", "ນ", "n"], // Lao
    ["KeyX", "ं", "x"], // Hindi: a mark, not a letter
    ["KeyY", "ㅛ", "y"], // Korean
    ["KeyB", "لا", undefined], // Arabic: one key, two letters
    ["KeyX", "ź", undefined], // Latin letters are never another's place
    ["KeyN", "Enter", undefined],
    ["", "n", "n"], // without a place
    ["KeyQ", "ｎ", "n"], // full width
  ];
  for (const [code, key, expected] of presses) assert.equal(keyOf(press(code, key), (shown) => VERDICTS.includes(shown)), expected, `${code} ${key}`);
});

test("on every keyboard of Latin letters the same letters decide", () => {
  const rows = { qwerty: "qwertyuiopasdfghjklzxcvbnm", qwertz: "qwertzuiopasdfghjklyxcvbnm", azerty: "azertyuiopqsdfghjklmwxcvbn", dvorak: "',.pyfgcrlaoeuidhtn;qjkxbm", colemak: "qwfpgjluy;arstdhneizxcvbkm" };
  const codes = [..."QWERTYUIOPASDFGHJKLZXCVBNM"].map((letter) => `Key${letter}`);
  for (const [name, letters] of Object.entries(rows)) {
    const typed = [...letters].map((letter, at) => [letter, keyOf(press(codes[at]!, letter), (shown) => shown in { y: 1, n: 1, x: 1, c: 1 })]);
    for (const [letter, found] of typed) assert.equal(found, /[ynxc]/.test(letter!) ? letter : undefined, `${name} ${letter}`);
  }
});

test("digits are pressed without Shift where they are typed with it", () => {
  for (const [code, key] of [["Digit1", "1"], ["Digit1", "&"], ["Digit1", "١"], ["Numpad1", "1"]] as const) assert.deepEqual(mark(press(code, key)), { do: "speed", index: 0 }, key);
  assert.deepEqual(mark(press("Digit2", "é")), { do: "speed", index: 1 }); // French
  assert.deepEqual(mark(press("Digit2", "2", { shiftKey: true })), { do: "speed", index: 1 });
  assert.equal(mark(press("Digit2", "@", { shiftKey: true })), undefined); // English
  assert.deepEqual(mark(press("Digit1", "+")), { do: "put", sign: 1 }); // Czech: a sign that is shown
});

test("signs decide only where they are typed", () => {
  const [good, bad] = [{ do: "put", sign: 1 }, { do: "put", sign: -1 }];
  assert.deepEqual([mark(press("Equal", "+", { shiftKey: true })), mark(press("Equal", "=")), mark(press("BracketRight", "+"))], [good, good, good]);
  assert.deepEqual([mark(press("Minus", "-")), mark(press("Minus", "_", { shiftKey: true })), mark(press("Digit6", "-"))], [bad, bad, bad]);
  assert.equal(mark(press("Digit8", "_")), undefined); // French: nobody is shown it
  assert.equal(mark(press("Digit0", "=", { shiftKey: true })), undefined); // German
  assert.equal(mark(press("Minus", "ß")), undefined);
  assert.deepEqual(compare(press("Digit0", "=", { shiftKey: true })), { do: "answer", answer: "same" }); // which is shown there
  const before = { do: "jump", to: "mark", direction: -1 };
  assert.deepEqual([mark(press("BracketLeft", "[")), mark(press("BracketLeft", "х")), mark(press("Digit5", "[", { altKey: true })), mark(press("Digit8", "[", { altKey: true, ctrlKey: true }))], [before, before, before, before]);
  assert.equal(mark(press("BracketLeft", "ü")), undefined);
});

test("other chords are the browser's", () => {
  for (const held of [{ altKey: true }, { ctrlKey: true }, { metaKey: true }]) assert.equal(judge(press("KeyF", "f", held)), undefined);
  assert.equal(mark(press("Minus", "-", { ctrlKey: true })), undefined); // makes the page smaller
  assert.equal(mark(press("KeyN", "ń", { altKey: true })), undefined); // Polish
});

test("undo and redo are letters, too", () => {
  const undone = (code: string, key: string, shiftKey = false) => (mark(press(code, key, { ctrlKey: true, shiftKey })) as { do: string } | undefined)?.do;
  assert.deepEqual([undone("KeyZ", "z"), undone("KeyY", "z"), undone("KeyW", "z"), undone("KeyZ", "я")], ["undo", "undo", "undo", "undo"]);
  assert.deepEqual([undone("KeyY", "y"), undone("KeyZ", "y"), undone("KeyZ", "Z", true), undone("KeyY", "н")], ["redo", "redo", "redo", "redo"]);
});

test("a declared body's keys are those that are shown", () => {
  const presses: [string, string, string | undefined, boolean?][] = [
    ["KeyD", "d", "KeyD"],
    ["KeyH", "d", "KeyD"], // Dvorak
    ["KeyD", "e", undefined],
    ["KeyD", "в", "KeyD"], // Russian
    ["Comma", ".", "Period", true], // French
    ["Period", ":", undefined],
    ["Slash", ".", "Period"], // Russian
    ["Period", "ю", "Period"],
    ["Digit6", "-", "Digit6"], // French
    ["Digit1", "1", "Digit1"],
    ["Space", " ", "Space"],
    ["ArrowUp", "ArrowUp", "ArrowUp"],
    ["KeyW", "w", undefined],
  ];
  for (const [code, key, expected, shiftKey = false] of presses) assert.equal(declaredKey(press(code, key, { shiftKey }), NUMBERED), expected, `${code} ${key}`);
});

test("keys that move are shown as they are written on the keyboard", () => {
  const french = new Map([["KeyW", "z"], ["KeyA", "q"], ["KeyS", "s"], ["KeyD", "d"], ["KeyE", "e"], ["KeyQ", "a"], ["KeyG", "g"]]);
  assert.equal(written(french, "W A S D"), "Z Q S D");
  assert.equal(written(null, "W A S D"), "W A S D");
  const lessons = lessonsOf({ keys: [], speaks: false, taught_by: "" }, french).map((lesson) => lesson.how);
  assert.match(lessons[1]!, /Hold Z to go ahead; Q, S and D go left/);
  assert.match(lessons[2]!, /G keeps hold .* E and A, push it away and pull it nearer/);
});
