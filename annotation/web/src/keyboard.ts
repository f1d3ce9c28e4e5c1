// Which key is pressed: letters and signs by what the key types, wherever the layout has it; keys that move a body by their place.
import { useEffect, useState } from "preact/hooks";

export type Press = Pick<KeyboardEvent, "key" | "shiftKey" | "altKey" | "ctrlKey" | "metaKey"> & { code?: string };

/** What is written on keys, by KeyboardEvent.code; null: the browser does not say. */
export type Layout = ReadonlyMap<string, string> | null;

const SIGNS: Record<string, string> = { Space: " ", Minus: "-", Equal: "=", BracketLeft: "[", BracketRight: "]", Comma: ",", Period: "." };
const FOREIGN = /^(?!.*\p{Script=Latin})[\p{L}\p{M}]+$/u; // a letter of another script; some keys type two

/** The key that is pressed, of those that are `shown` to people: a letter in lower case, a sign, or a name as in KeyboardEvent.key. */
export function keyOf(press: Press, shown: (key: string) => boolean): string | undefined {
  const typed = press.key.length === 1 ? press.key.normalize("NFKC").toLowerCase() : press.key;
  const meant = shown(typed) ? typed : (instead(press, typed) ?? atPlace(press, typed));
  return meant !== undefined && shown(meant) ? meant : undefined;
}

/** The sign that is meant by a plus without its Shift, a minus with the Shift of a plus before it, and a typographic minus. */
function instead(press: Press, typed: string): string | undefined {
  if (typed === "=" && !press.shiftKey) return "+";
  return typed === "−" || (typed === "_" && press.shiftKey) ? "-" : undefined;
}

/** What the key in this place types on an English keyboard: for layouts of another script, and those that need Shift for digits. */
function atPlace(press: Press, typed: string): string | undefined {
  const digit = press.code?.startsWith("Digit") && !press.shiftKey && !/^\d$/.test(typed);
  return digit || FOREIGN.test(typed) ? english(press.code ?? "") : undefined;
}

/** What a key types on an English keyboard; undefined for keys that type nothing there. */
function english(code: string): string | undefined {
  return /^(?:Key([A-Z])|Digit(\d))$/.test(code) ? code.slice(-1).toLowerCase() : SIGNS[code];
}

/** Which of a declared body's `codes` is pressed. They name keys of an English keyboard; pages show what those type. */
export function declaredKey(press: Press, codes: string[]): string | undefined {
  const shown = new Map(codes.map((code) => [english(code) ?? code, code]));
  return shown.get(keyOf(press, (key) => shown.has(key)) ?? "");
}

/** True for a press with Ctrl, Alt or Meta, which is not for the page; some keyboards need Alt to type a sign. */
export function isChord(press: Press): boolean {
  const sign = press.altKey && !press.metaKey && /^[^\p{L}\p{N}\s]$/u.test(press.key);
  return (press.ctrlKey || press.metaKey || press.altKey) && !sign;
}

/** True if the page must leave a press to what has the focus: a field, or a button that it presses. */
export function isForFocused(event: KeyboardEvent): boolean {
  const target = event.target as HTMLElement;
  const presses = event.key === " " || event.key === "Enter";
  return Boolean(target.closest(presses ? "input, textarea, select, button, a, summary" : "input, textarea, select"));
}

/** What is written on the keys at `places`, which are named by capital letters of an English keyboard, such as "W A S D". */
export function written(layout: Layout | undefined, places: string): string {
  return places.replace(/[A-Z]/g, (letter) => (layout?.get(`Key${letter}`) || letter).toUpperCase());
}

/** The layout of the person's keyboard; undefined until the browser has answered. */
export function useLayout(): Layout | undefined {
  const [layout, setLayout] = useState<Layout | undefined>(undefined);
  useEffect(() => {
    const { keyboard } = navigator as { keyboard?: { getLayoutMap: () => Promise<Layout> } };
    if (keyboard) keyboard.getLayoutMap().then(setLayout, () => setLayout(null));
    else setLayout(null);
  }, []);
  return layout;
}
