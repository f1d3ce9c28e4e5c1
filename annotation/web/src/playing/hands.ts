// From keys, by their place, and the mouse to messages: what is held and how far the mouse went, 30 times a second at most.

export const KEYS: Record<string, string> = {
  KeyW: "forward",
  KeyS: "back",
  KeyA: "left",
  KeyD: "right",
  ArrowLeft: "turn_left",
  ArrowRight: "turn_right",
  ArrowUp: "look_up",
  ArrowDown: "look_down",
  ShiftLeft: "slow",
  ShiftRight: "slow",
  Space: "grab",
  KeyE: "push",
  KeyQ: "pull",
  // Of full hands; other bodies ignore them.
  KeyF: "throw",
  KeyI: "tilt_away",
  KeyK: "tilt_near",
  KeyJ: "spin_left",
  KeyL: "spin_right",
  KeyU: "roll_left",
  KeyO: "roll_right",
};
const EVERY_MS = 33;
const MOST_PRESSED = 4; // between two messages
const TURN_PER_PIXEL = 0.15 / 4; // degrees of a pixel, by those of a tick of full turning
const LOOK_PER_PIXEL = 0.15 / 2;
const MOVES = ["forward", "back", "left", "right"];
const LOOKS = ["turn_left", "turn_right", "look_up", "look_down"];

/** How long a person has used each control, in milliseconds, for the tutorial; `looked` also counts the mouse. */
export interface Practice {
  pressed: number[]; // numbers of keys of a declared body
  moved: number;
  looked: number;
  grabbed: number;
}

export class Hands {
  readonly practice: Practice = { pressed: [], moved: 0, looked: 0, grabbed: 0 };
  private readonly held = new Map<string, string>(); // what by which key or button
  private readonly tapped = new Set<string>();
  private turn = 0;
  private look = 0;
  private reach = 0;
  private keepsHold = false;
  private pressed: number[] = []; // numbers of keys of a declared body
  private sent = ""; // held keys of the latest message
  private readonly timer = setInterval(() => this.sendInputs(), EVERY_MS);

  /** `send` sends a message and returns false if it cannot. `declared`: codes of each key of a declared body. */
  constructor(
    private readonly send: (message: unknown) => boolean,
    private readonly declared: string[][] = [],
  ) {}

  /** Return true if the hand keeps hold without a key being held. */
  get holds(): boolean {
    return this.keepsHold;
  }

  press(code: string): boolean {
    if (this.declared.length > 0) return this.choose(code);
    const what = code === "Mouse" ? "grab" : KEYS[code];
    if (what === undefined) return false;
    if (what === "throw") this.keepsHold = false;
    if (!this.held.has(code)) this.tapped.add(what);
    this.held.set(code, what);
    return true;
  }

  /** Note the key of a declared body; each press counts, those of a key that is held down included. */
  private choose(code: string): boolean {
    const number = this.declared.findIndex((codes) => codes.includes(code));
    if (number >= 0 && this.pressed.length < MOST_PRESSED) this.pressed.push(number);
    if (number >= 0) this.practice.pressed.push(number);
    return number >= 0;
  }

  release(code: string): void {
    this.held.delete(code);
  }

  /** Grab and keep hold, or let go. */
  toggleHold(): void {
    this.keepsHold = !this.keepsHold;
  }

  /** The mouse went so many pixels to the right and down. */
  move(right: number, down: number): void {
    this.turn -= right * TURN_PER_PIXEL;
    this.look -= down * LOOK_PER_PIXEL;
    this.practice.looked += 4 * (Math.abs(right) + Math.abs(down));
  }

  wheel(away: number): void {
    this.reach += Math.sign(away);
  }

  /** The connection is new: send again what is held. */
  sendAgain(): void {
    this.sent = "?";
  }

  /** Let go of everything, as another player is in control. */
  drop(): void {
    this.keepsHold = false;
    this.rest();
  }

  /** Let go of everything but what the hand holds by a toggle. */
  rest(): void {
    this.held.clear();
    this.tapped.clear();
    this.pressed = [];
  }

  /** Say a line. Returns false if it cannot be sent now. */
  say(line: string): boolean {
    const held = [...new Set(this.held.values()), ...(this.keepsHold ? ["grab"] : [])];
    return this.send({ inputs: { held, say: line.slice(0, 600) } });
  }

  close(): void {
    clearInterval(this.timer);
  }

  private sendInputs(): void {
    const held = new Set(this.held.values());
    if (this.keepsHold) held.add("grab");
    const seen = (names: string[]) => names.some((name) => held.has(name));
    if (seen(MOVES)) this.practice.moved += EVERY_MS;
    if (seen(LOOKS)) this.practice.looked += EVERY_MS;
    if (held.has("grab")) this.practice.grabbed += EVERY_MS;
    const now = [...held].sort().join(" ");
    if (now === this.sent && this.tapped.size === 0 && this.pressed.length === 0 && !this.turn && !this.look && !this.reach) return;
    const limit = (value: number) => Math.max(-1000, Math.min(1000, value));
    const inputs = { held: [...held], tapped: [...this.tapped], turn: limit(this.turn), look: limit(this.look), reach: limit(this.reach), ...(this.pressed.length ? { pressed: this.pressed } : {}) };
    if (!this.send({ inputs })) return; // it is added up until it can be sent
    this.sent = now;
    this.tapped.clear();
    this.pressed = [];
    this.turn = this.look = this.reach = 0;
  }
}
