// An episode's frames: one file of PNG pictures behind an index (annotation/server/services/datasets.py), drawn when wanted.

const MAGIC = "RLF1";
const KEPT_BYTES = 96 * 1024 * 1024; // of drawn pictures

export class Frames {
  readonly count: number;
  private readonly view: DataView;
  private readonly drawn = new Map<number, Promise<ImageBitmap>>();
  private room = 1;

  /** Throws if the file is damaged. */
  constructor(private readonly file: ArrayBuffer) {
    this.view = new DataView(file);
    const magic = file.byteLength < 12 ? "" : String.fromCharCode(...new Uint8Array(file, 0, 4));
    this.count = magic === MAGIC ? this.view.getUint32(4, true) : 0;
    if (this.count === 0 || this.end(this.count - 1) !== file.byteLength) throw new Error("the frames are damaged; load the page again");
  }

  /** The picture of a step. */
  async at(step: number): Promise<ImageBitmap> {
    const known = this.drawn.get(step);
    if (known) return known;
    const png = new Blob([new Uint8Array(this.file, this.start(step), this.end(step) - this.start(step))], { type: "image/png" });
    const picture = createImageBitmap(png);
    this.drawn.set(step, picture);
    const { width, height } = await picture;
    this.room = Math.max(16, Math.floor(KEPT_BYTES / (4 * width * height)));
    for (const oldest of this.drawn.keys()) {
      if (this.drawn.size <= this.room) break;
      if (oldest !== step) this.drawn.delete(oldest);
    }
    return picture;
  }

  /** Draw the pictures around a step before they are wanted. */
  async prepare(step: number, ahead: number): Promise<void> {
    for (let near = Math.max(0, step - 4); near < Math.min(this.count, step + ahead); near += 1) await this.at(near);
  }

  private start(step: number): number {
    return this.view.getUint32(8 + 4 * step, true);
  }

  private end(step: number): number {
    return this.view.getUint32(12 + 4 * step, true);
  }
}
