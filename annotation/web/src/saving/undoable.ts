// The last state of one edit, with undo and redo. Knows neither screen nor server.
import type { Edit } from "./local_store";

/** What an edit says. */
export type State<S extends Edit> = Omit<S, keyof Edit>;

/** A verdict or an answer: each change of it has a higher revision, and undone ones too. */
export class Undoable<S extends Edit> {
  private done: State<S>[] = [];
  private undone: State<S>[] = [];

  constructor(private said: S) {}

  get now(): S {
    return this.said;
  }

  /** For the next visit. */
  get kept(): S[] {
    return [this.said];
  }

  /** Take over what the server or an earlier visit says, if it is newer. Returns whether it is. */
  learn(said: S): boolean {
    const newer = said.revision > this.said.revision;
    if (newer) this.said = said;
    return newer;
  }

  get canUndo(): boolean {
    return this.done.length > 0;
  }

  get canRedo(): boolean {
    return this.undone.length > 0;
  }

  undo(): S | undefined {
    return this.go(this.done, this.undone);
  }

  redo(): S | undefined {
    return this.go(this.undone, this.done);
  }

  /** Change the state. Returns what is new to say, if anything is. */
  protected change(state: State<S>): S | undefined {
    const keys = Object.keys(state) as (keyof State<S>)[];
    if (keys.every((key) => state[key] === this.said[key])) return undefined;
    this.done.push(this.said);
    this.undone = [];
    return this.set(state);
  }

  private go(from: State<S>[], to: State<S>[]): S | undefined {
    const state = from.pop();
    if (!state) return undefined;
    to.push(this.said);
    return this.set(state);
  }

  private set(state: State<S>): S {
    this.said = { ...this.said, ...state, id: this.said.id, revision: this.said.revision + 1 };
    return this.said;
  }
}
