// Pictures end to end in one file, behind an index: see annotation/viewer/frames_file.py.

const MAGIC = "RLF1";

export class FramesFile {
  readonly count: number;
  private readonly view: DataView;

  /** Throws if the file is damaged. */
  constructor(readonly file: ArrayBuffer) {
    this.view = new DataView(file);
    const magic = file.byteLength < 12 ? "" : String.fromCharCode(...new Uint8Array(file, 0, 4));
    this.count = magic === MAGIC ? this.view.getUint32(4, true) : 0;
    if (this.count === 0 || this.end(this.count - 1) !== file.byteLength) throw new Error("the frames are damaged; load the page again");
  }

  /** The bytes of a picture: a PNG or a WebP. */
  picture(number: number): Uint8Array<ArrayBuffer> {
    return new Uint8Array(this.file, this.start(number), this.end(number) - this.start(number));
  }

  private start(number: number): number {
    return this.view.getUint32(8 + 4 * number, true);
  }

  private end(number: number): number {
    return this.view.getUint32(12 + 4 * number, true);
  }
}

/** Write pictures as one file. */
export function packFrames(pictures: Uint8Array[]): ArrayBuffer {
  const header = 12 + 4 * pictures.length;
  const size = pictures.reduce((sum, picture) => sum + picture.length, header);
  const bytes = new Uint8Array(size);
  const view = new DataView(bytes.buffer);
  for (let i = 0; i < MAGIC.length; i += 1) bytes[i] = MAGIC.charCodeAt(i);
  view.setUint32(4, pictures.length, true);
  let place = header;
  pictures.forEach((picture, number) => {
    view.setUint32(8 + 4 * number, place, true);
    bytes.set(picture, place);
    place += picture.length;
  });
  view.setUint32(8 + 4 * pictures.length, place, true);
  return bytes.buffer;
}
