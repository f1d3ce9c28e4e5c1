// An episode's pictures, loaded in chunks from the moment that is shown: as recorded first, then sharp ones, drawn again.
import { FramesFile, packFrames } from "./frames_file";

export const CHUNK_STEPS = 40; // as annotation/viewer/drawing.py has it
const KEPT_BYTES = 96 * 1024 * 1024; // of decoded pictures
const DRAWING_MS = 1_000; // between two questions for a chunk that is being drawn
const RETRY_MS = [500, 1_000, 2_000, 4_000];

export type View = "seen" | "sharp";

/**
 * Loads the chunk that begins at a step; null while it is being drawn. `onShare` gets the share of it that has come.
 * Errors whose `passing` is true are retried.
 */
export type LoadChunk = (view: View, begin: number, onShare: (share: number) => void) => Promise<ArrayBuffer | null>;

export class Frames {
  /** Why loading has stopped or waits, "" while all is well. */
  trouble = "";
  private readonly files: Record<View, (FramesFile | undefined)[]> = { seen: [], sharp: [] };
  private readonly refused = new Set<number>(); // chunks that cannot be drawn
  private readonly decoded = new Map<string, Promise<ImageBitmap>>();
  private readonly listeners = new Set<() => void>();
  private readonly chunks: number;
  private room = 1;
  private wanted = 0;
  private coming = 0; // share of the recorded chunk that is on its way
  private sharpWanted = true;
  private running = 0; // of the loop that loads; another number ends it
  private wake: () => void = () => undefined;

  constructor(
    readonly count: number,
    private readonly load: LoadChunk,
    kept?: ArrayBuffer, // every recorded picture, from an earlier visit
    private readonly onComplete: (file: ArrayBuffer) => void = () => undefined,
  ) {
    this.chunks = Math.ceil(count / CHUNK_STEPS);
    if (kept) this.takeWhole(new FramesFile(kept));
  }

  /** Load until everything is there. */
  start(): void {
    this.running += 1;
    void this.run(this.running);
  }

  stop(): void {
    this.running += 1;
    this.wake();
  }

  /** Call `listener` whenever there is more to show. Returns a function that ends that. */
  subscribe(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Load the chunk of this step next. */
  want(step: number): void {
    this.wanted = Math.floor(step / CHUNK_STEPS);
  }

  /** Show sharp pictures where there are any, or only what the agent saw. */
  wantSharp(sharp: boolean): void {
    this.sharpWanted = sharp;
    this.wake();
    this.changed();
  }

  /** Return true if a picture of the step can be shown now. */
  has(step: number): boolean {
    return this.fileOf("seen", step) !== undefined || this.best(step) === "sharp";
  }

  /** Which picture of a step is shown now. */
  best(step: number): View {
    return this.sharpWanted && this.fileOf("sharp", step) ? "sharp" : "seen";
  }

  /** Share of the recorded pictures that is loaded; 1 once all are. */
  get loaded(): number {
    const whole = this.files.seen.filter(Boolean).length;
    return whole === this.chunks ? 1 : (whole + 0.99 * this.coming) / this.chunks;
  }

  /** Return true if sharp pictures exist, or may still come. */
  get drawable(): boolean {
    return this.refused.size < this.chunks;
  }

  /** The best picture of a step that is loaded; undefined if none is. */
  async at(step: number): Promise<ImageBitmap | undefined> {
    const view = this.best(step);
    const file = this.fileOf(view, step);
    if (!file) return undefined;
    const key = `${view} ${step}`;
    const known = this.decoded.get(key);
    if (known) return known;
    const bytes = file.picture(step % CHUNK_STEPS);
    const picture = createImageBitmap(new Blob([bytes], { type: bytes[0] === 0x52 ? "image/webp" : "image/png" }));
    this.decoded.set(key, picture);
    const { width, height } = await picture;
    this.room = Math.max(16, Math.floor(KEPT_BYTES / (4 * width * height)));
    for (const oldest of this.decoded.keys()) {
      if (this.decoded.size <= this.room) break;
      if (oldest !== key) this.decoded.delete(oldest);
    }
    return picture;
  }

  /** Decode the pictures around a step before they are wanted. */
  async prepare(step: number, ahead: number): Promise<void> {
    for (let near = Math.max(0, step - 4); near < Math.min(this.count, step + ahead); near += 1) await this.at(near);
  }

  private fileOf(view: View, step: number): FramesFile | undefined {
    return this.files[view][Math.floor(step / CHUNK_STEPS)];
  }

  private async run(own: number): Promise<void> {
    let failures = 0;
    while (this.running === own) {
      const next = this.next();
      if (!next) {
        if (!this.drawable || this.files.sharp.filter(Boolean).length + this.refused.size >= this.chunks) return;
        await this.pause(60_000); // until sharp pictures are wanted again
        continue;
      }
      const [view, chunk] = next;
      try {
        const file = await this.load(view, chunk * CHUNK_STEPS, (share) => this.running === own && view === "seen" && this.come(share));
        failures = 0;
        this.trouble = "";
        if (this.running !== own) return;
        if (file) this.take(view, chunk, new FramesFile(file));
        else await this.pause(DRAWING_MS);
      } catch (error) {
        if (this.running !== own) return;
        this.coming = 0;
        if ((error as { passing?: boolean }).passing) {
          this.trouble = (error as Error).message;
          this.changed();
          await this.pause(RETRY_MS[Math.min(failures, RETRY_MS.length - 1)]!);
          failures += 1;
        } else if (view === "sharp") {
          this.refused.add(chunk);
          this.changed();
        } else {
          this.trouble = (error as Error).message;
          this.changed();
          return;
        }
      }
    }
  }

  /** What to load next: from the moment that is shown to the end, then what lies before; recorded pictures first. */
  private next(): [View, number] | undefined {
    for (const view of ["seen", "sharp"] as const) {
      if (view === "sharp" && !this.sharpWanted) return undefined;
      for (let k = 0; k < this.chunks; k += 1) {
        const chunk = (this.wanted + k) % this.chunks;
        if (!this.files[view][chunk] && !(view === "sharp" && this.refused.has(chunk))) return [view, chunk];
      }
    }
    return undefined;
  }

  private take(view: View, chunk: number, file: FramesFile): void {
    if (file.count !== Math.min(CHUNK_STEPS, this.count - chunk * CHUNK_STEPS)) throw new Error("the frames are damaged; load the page again");
    this.files[view][chunk] = file;
    this.coming = 0;
    if (view === "seen" && this.loaded === 1) this.onComplete(packFrames(this.files.seen.flatMap((each) => pictures(each!))));
    this.changed();
  }

  private come(share: number): void {
    this.coming = share;
    this.changed();
  }

  private takeWhole(file: FramesFile): void {
    if (file.count !== this.count) return; // of another version of the page
    const all = pictures(file);
    for (let chunk = 0; chunk < this.chunks; chunk += 1) {
      this.files.seen[chunk] = new FramesFile(packFrames(all.slice(chunk * CHUNK_STEPS, (chunk + 1) * CHUNK_STEPS)));
    }
  }

  private pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  private changed(): void {
    for (const listener of this.listeners) listener();
  }
}

function pictures(file: FramesFile): Uint8Array[] {
  return Array.from({ length: file.count }, (_, number) => file.picture(number));
}
