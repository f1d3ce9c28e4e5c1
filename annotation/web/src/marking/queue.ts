// Marks on their way to the server. First they are on this browser's disk, then they are sent, as often as it takes.
import { ApiError, ask } from "../api";
import { forgetMarks, keepMark, keptMarks, type KeptMark } from "./kept";
import type { Mark } from "./marks";

export interface SavedState {
  waiting: number; // marks that the server does not have yet
  trouble: string; // why, if something is wrong
  lost: boolean; // no connection
}

const AT_ONCE = 200;
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 15_000;

export class Queue {
  private readonly unsaved = new Map<string, KeptMark>();
  private sending: Promise<void> | null = null;
  private wait = FIRST_WAIT_MS;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private trouble = "";
  private lost = false;

  constructor(
    private readonly person: string,
    private readonly place: () => { position: number; active_sec: number },
    private readonly changed: (state: SavedState) => void,
  ) {
    addEventListener("online", () => this.retryNow());
  }

  /** Go on with what an earlier visit could not send. Returns it. */
  async resume(): Promise<KeptMark[]> {
    const kept = await keptMarks(this.person);
    for (const mark of kept) this.unsaved.set(mark.id, mark);
    this.tell();
    return kept;
  }

  /** Keep a mark and send it. */
  async add(assignment: string, mark: Mark): Promise<void> {
    const kept: KeptMark = { ...mark, assignment, person: this.person };
    this.unsaved.set(mark.id, kept);
    this.tell();
    try {
      await keepMark(kept);
    } catch (error) {
      this.trouble = `this browser cannot keep marks (${(error as Error).message}); do not close it before they are saved`;
      this.tell();
    }
    void this.send();
  }

  /** Send what waits, and be done when nothing does or nothing can be sent. */
  send(): Promise<void> {
    this.sending ??= this.work().finally(() => {
      this.sending = null;
    });
    return this.sending;
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
    const refused = new Set<string>(); // episodes whose marks the server does not want; the others go on
    for (;;) {
      const sendable = [...this.unsaved.values()].filter((mark) => !refused.has(mark.assignment));
      const first = sendable[0]?.assignment;
      if (first === undefined) break;
      try {
        await this.put(first, sendable.filter((mark) => mark.assignment === first).slice(0, AT_ONCE));
        this.wait = FIRST_WAIT_MS;
        this.lost = false;
        if (refused.size === 0) this.trouble = "";
      } catch (error) {
        this.fail(error);
        if (!(error instanceof ApiError) || error.passing || error.status === 401) break;
        refused.add(first);
      }
      this.tell();
    }
    if (this.unsaved.size > 0) this.later();
    this.tell();
  }

  private async put(assignment: string, batch: KeptMark[]): Promise<void> {
    const marks = batch.map(({ id, revision, step, sign, deleted }) => ({ id, revision, step, sign, deleted }));
    await ask("PUT", `/api/marking/${assignment}/marks`, { marks, ...this.place() });
    const sent = batch.filter((mark) => this.unsaved.get(mark.id)?.revision === mark.revision);
    for (const mark of sent) this.unsaved.delete(mark.id);
    await forgetMarks(sent).catch(() => undefined); // sent twice is sent once
  }

  private fail(error: unknown): void {
    const known = error instanceof ApiError ? error : new ApiError(-1, String(error));
    this.lost = known.status === 0;
    this.trouble = known.status === 401 ? "you are signed out; sign in again, your marks are kept in this browser" : known.message;
  }

  private later(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.send(), this.wait);
    this.wait = Math.min(LONGEST_WAIT_MS, 2 * this.wait);
  }

  private tell(): void {
    this.changed({ waiting: this.unsaved.size, trouble: this.unsaved.size ? this.trouble : "", lost: this.lost && this.unsaved.size > 0 });
  }
}
