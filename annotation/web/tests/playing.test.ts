import assert from "node:assert/strict";
import { test } from "node:test";
import { Hands } from "../src/playing/hands";
import { lessonsOf } from "../src/playing/tutorial";
import { clock, duration, openRequest, outcome, parse, turns } from "../src/playing/view";

interface Sent {
  inputs: { held: string[]; tapped?: string[]; turn?: number; look?: number; reach?: number; say?: string };
}

/** Hands whose messages are kept, or refused while the connection is away. */
function person(): { hands: Hands; sent: Sent[]; line: { open: boolean } } {
  const sent: Sent[] = [];
  const line = { open: true };
  const hands = new Hands((message) => {
    if (line.open) sent.push(message as Sent);
    return line.open;
  });
  return { hands, sent, line };
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

test("what is pressed and let go between two messages is told", async () => {
  const { hands, sent } = person();
  hands.press("KeyW");
  hands.release("KeyW");
  await pause(60);
  hands.close();
  assert.deepEqual(sent[0]?.inputs.tapped, ["forward"]);
  assert.deepEqual(sent[0]?.inputs.held, []);
});

test("what is held is told once, and that it is let go", async () => {
  const { hands, sent } = person();
  assert.equal(hands.press("KeyW"), true);
  assert.equal(hands.press("KeyZ"), false);
  hands.press("Space");
  await pause(150);
  assert.equal(sent.length, 1);
  assert.deepEqual(sent[0]?.inputs.held.sort(), ["forward", "grab"]);
  hands.rest();
  await pause(60);
  hands.close();
  assert.deepEqual(sent.at(-1)?.inputs.held, []);
});

test("the hand keeps hold by a toggle, also while a line is written", async () => {
  const { hands, sent } = person();
  hands.toggleHold();
  hands.rest();
  await pause(60);
  assert.deepEqual(sent.at(-1)?.inputs.held, ["grab"]);
  hands.say("look");
  assert.deepEqual(sent.at(-1)?.inputs, { held: ["grab"], say: "look" });
  hands.toggleHold();
  await pause(60);
  hands.close();
  assert.deepEqual(sent.at(-1)?.inputs.held, []);
});

test("a new connection is told what is held, and whoever loses control lets go", async () => {
  const { hands, sent } = person();
  hands.toggleHold();
  await pause(60);
  hands.sendAgain();
  await pause(60);
  assert.deepEqual(sent.map((each) => each.inputs.held), [["grab"], ["grab"]]);
  hands.drop();
  await pause(60);
  hands.close();
  assert.deepEqual(sent.at(-1)?.inputs.held, []);
  assert.equal(hands.holds, false);
});

test("the mouse turns to where it goes, and nothing of it is lost while the connection is away", async () => {
  const { hands, sent, line } = person();
  line.open = false;
  hands.move(80, 0);
  hands.move(80, -40);
  hands.wheel(3);
  await pause(100);
  assert.equal(sent.length, 0);
  line.open = true;
  await pause(60);
  hands.close();
  const told = sent[0]?.inputs;
  assert.ok(Math.abs((told?.turn ?? 0) + 6) < 1e-9, "24 degrees to the right are six ticks");
  assert.ok(Math.abs((told?.look ?? 0) - 3) < 1e-9, "6 degrees up are three ticks");
  assert.equal(told?.reach, 1);
});

test("a message is parsed, with what earlier ones said", async () => {
  const header = new TextEncoder().encode(JSON.stringify({ state: "playing", said: 1, dialogue: [{ words: "größer <b>" }], asked: null, board: "same" }));
  const message = new Uint8Array(4 + header.length + 3);
  new DataView(message.buffer).setUint32(0, header.length);
  message.set(header, 4);
  message.set([255, 216, 1], 4 + header.length);
  const before = {
    asked: [{ step: 3, words: "lift it", said: null }],
    dialogue: [{ step: 2, role: "setter" as const, words: "hello" }],
    board: { step: 2, things: [], place: "you are in the kitchen", hands: "", feedback: "", goal: [] },
  };
  const { view, picture } = parse(message.buffer, before);
  assert.deepEqual(view.dialogue.map((line) => line.words), ["hello", "größer <b>"]);
  assert.deepEqual([...new Uint8Array(await picture!.arrayBuffer())], [255, 216, 1]);
  assert.equal(parse(message.buffer.slice(0, 4 + header.length), before).picture, null);
  assert.deepEqual(view.asked, before.asked, "what has not changed is not sent again");
  assert.equal(view.board, before.board);
});

test("a verdict by key is about the newest line that has none", () => {
  const line = (step: number, said: "success" | null) => ({ step, words: "", said });
  assert.equal(openRequest([line(1, null), line(2, null), line(3, "success")])?.step, 2);
  assert.equal(openRequest([line(3, "success")]), undefined);
});

test("times are for people", () => {
  assert.deepEqual([clock(299.6), clock(9.2), clock(-1)], ["5:00", "0:09", "0:00"]);
  assert.deepEqual([turns(240), turns(1)], ["240 turns left", "1 turn left"]);
  assert.deepEqual([duration(300), duration(60), duration(25)], ["5 minutes", "a minute", "25 seconds"]);
});

test("keys of a declared body are reported by their numbers, each press once", async () => {
  const sent: { inputs: { pressed?: number[]; held: string[] } }[] = [];
  const hands = new Hands((message) => sent.push(message as (typeof sent)[0]) > 0, [["ArrowLeft", "Digit1"], ["ArrowUp"]]);
  assert.equal(hands.press("ArrowUp"), true);
  assert.equal(hands.press("Digit1"), true);
  assert.equal(hands.press("KeyW"), false);
  await pause(100);
  hands.close();
  assert.deepEqual(sent.map((message) => message.inputs.pressed), [[1, 0]]);
  assert.deepEqual(sent[0]?.inputs.held, []);
});

test("a lesson for each key of a declared body, and for speaking where it can", async () => {
  const keys = [{ codes: ["ArrowUp", "Digit1"], shown: "↑ 1", name: "forward" }, { codes: ["KeyT"], shown: "T", name: "toggle" }];
  const hands = new Hands(() => true, keys.map((key) => key.codes));
  const lessons = lessonsOf({ keys, speaks: false, taught_by: "gym:Maze" });
  assert.deepEqual(lessons.map((lesson) => lesson.title), ["forward", "toggle"]);
  assert.equal(lessons[0]?.how, "Press ↑ or 1.");
  hands.press("Digit1");
  hands.close();
  assert.deepEqual(lessons.map((lesson) => lesson.done(hands.practice, {} as never)), [true, false]);
  const playhouse = lessonsOf({ keys: [], speaks: true, taught_by: "" });
  assert.deepEqual(playhouse.map((lesson) => lesson.title), ["Look around", "Walk", "Grab", "Speak"]);
});

test("the outcome of a game is said where its world checks it", () => {
  assert.deepEqual([outcome([]), outcome([true]), outcome([false])], ["", "The task was achieved.", "The task was not achieved."]);
  assert.equal(outcome([true, false, true]), "2 of 3 requests were fulfilled.");
});
