// Edits on their way to the server: first on this browser's disk, then sent, again and again until the server has them.
import { ApiError } from "../api";
import type { PendingEdit, Edit, LocalStore, WorkInfo } from "./local_store";

export interface SavedState {
  waiting: number; // edits that the server does not have yet
  trouble: string; // why, if something is wrong
  lost: boolean; // no connection
}

const AT_ONCE = 200;
const TOO_LATE = 409; // another window or browser has submitted the work, or said something else of it
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 15_000;

export class Queue<S extends Edit> {
  private readonly unsaved = new Map<string, PendingEdit<S>>();
  private sending: Promise<void> | null = null;
  private wait = FIRST_WAIT_MS;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private trouble = "";
  private lost = false;
  private closing = false;
  private readonly online = () => this.retryNow();

  /**
   * `own` is the assignment that is being worked on. `put` sends edits of one assignment; the server has them when it
   * ends.
   */
  constructor(
    private readonly person: string,
    private readonly own: string,
    private readonly store: Pick<LocalStore<S, WorkInfo>, "keep" | "kept" | "forget">,
    private readonly put: (assignment: string, batch: PendingEdit<S>[]) => Promise<unknown>,
    private readonly changed: (state: SavedState) => void,
  ) {
    addEventListener("online", this.online);
  }

  /** End when nothing waits any more. Until then the page keeps this queue, and with it the work whose edits it sends. */
  close(): void {
    this.closing = true;
    if (this.unsaved.size > 0) return;
    removeEventListener("online", this.online);
    clearTimeout(this.timer);
  }

  /** Resume with the edits that an earlier visit could not send, and return them. */
  async resume(): Promise<PendingEdit<S>[]> {
    const kept = await this.store.kept(this.person);
    for (const edit of kept) {
      const newer = this.unsaved.get(edit.id); // made while this browser's disk was read
      if (!newer || newer.revision < edit.revision) this.unsaved.set(edit.id, edit);
    }
    this.report();
    return kept;
  }

  /** Forget edits that an earlier visit has kept, as the server has newer ones, or others in their place. */
  async forget(kept: PendingEdit<S>[]): Promise<void> {
    await this.drop(kept.filter((edit) => this.unsaved.get(edit.id) === edit)); // not what was said since
    this.report();
  }

  /** Keep an edit and send it. */
  async add(assignment: string, edit: S): Promise<void> {
    const kept: PendingEdit<S> = { ...edit, assignment, person: this.person };
    this.unsaved.set(edit.id, kept);
    this.report();
    try {
      await this.store.keep(kept);
    } catch (error) {
      this.trouble = `this browser cannot store your work (${(error as Error).message}); do not close it before everything is saved`;
      this.report();
    }
    void this.send();
  }

  /** Send what waits; ends when nothing waits or nothing can be sent. */
  send(): Promise<void> {
    this.sending ??= this.work().finally(() => {
      this.sending = null;
    });
    return this.sending;
  }

  /** Send until nothing waits. Throws an error that says why, if something cannot be sent now. */
  async flush(): Promise<void> {
    while (this.unsaved.size > 0) {
      await this.send();
      if (this.unsaved.size > 0 && this.trouble) throw new Error(`not everything is saved yet (${this.trouble}); it is sent again by itself`);
    }
  }

  get waiting(): number {
    return this.unsaved.size;
  }

  private retryNow(): void {
    this.wait = FIRST_WAIT_MS;
    void this.send();
  }

  private async work(): Promise<void> {
    clearTimeout(this.timer);
    const refused = new Set<string>(); // assignments whose edits the server refuses; the others are sent
    for (;;) {
      const sendable = [...this.unsaved.values()].filter((edit) => !refused.has(edit.assignment));
      const first = sendable[0]?.assignment;
      if (first === undefined) break;
      try {
        await this.sendBatch(first, sendable.filter((edit) => edit.assignment === first).slice(0, AT_ONCE));
        this.wait = FIRST_WAIT_MS;
        this.lost = false;
        if (refused.size === 0) this.trouble = "";
      } catch (error) {
        const known = error instanceof ApiError && !error.passing && error.status !== 401 ? error : null;
        if (known && first !== this.own) await this.giveUp(first, known.status === TOO_LATE);
        else this.fail(error);
        if (!known) break;
        if (first === this.own) refused.add(first);
      }
      this.report();
    }
    if (this.unsaved.size > 0) this.later();
    else if (this.closing) this.close();
    this.report();
  }

  private async sendBatch(assignment: string, batch: PendingEdit<S>[]): Promise<void> {
    await this.put(assignment, batch);
    await this.drop(batch.filter((edit) => this.unsaved.get(edit.id)?.revision === edit.revision));
  }

  private async drop(edits: PendingEdit<S>[]): Promise<void> {
    for (const edit of edits) this.unsaved.delete(edit.id);
    await this.store.forget(edits).catch(() => undefined); // sent twice is sent once
  }

  /** Drop edits of earlier work that the server refuses: they must not hold up the present work. */
  private async giveUp(assignment: string, forGood: boolean): Promise<void> {
    const refused = [...this.unsaved.values()].filter((edit) => edit.assignment === assignment);
    if (forGood) return this.drop(refused);
    for (const edit of refused) this.unsaved.delete(edit.id); // the next visit tries again
  }

  private fail(error: unknown): void {
    const known = error instanceof ApiError ? error : new ApiError(-1, String(error));
    this.lost = known.status === 0;
    this.trouble = known.status === 401 ? "you are signed out; sign in again, your work is kept in this browser" : known.message;
  }

  private later(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.send(), this.wait);
    this.wait = Math.min(LONGEST_WAIT_MS, 2 * this.wait);
  }

  private report(): void {
    this.changed({ waiting: this.unsaved.size, trouble: this.unsaved.size ? this.trouble : "", lost: this.lost && this.unsaved.size > 0 });
  }
}
