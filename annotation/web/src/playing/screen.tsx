// The player's view: the newest picture, as large as fits. A click captures the mouse, Escape frees it.
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { Hands } from "./hands";

/** Draws pictures on a canvas one after another; of those that wait only the newest. */
export class Pictures {
  canvas: HTMLCanvasElement | null = null;
  private next: Blob | null = null;
  private drawing = false;

  show(picture: Blob): void {
    this.next = picture;
    if (!this.drawing) void this.draw();
  }

  private async draw(): Promise<void> {
    this.drawing = true;
    while (this.next) {
      const picture = this.next;
      this.next = null;
      const bitmap = await createImageBitmap(picture).catch(() => null);
      if (!bitmap || !this.canvas) continue;
      if (this.canvas.width !== bitmap.width || this.canvas.height !== bitmap.height) {
        this.canvas.width = bitmap.width;
        this.canvas.height = bitmap.height;
      }
      this.canvas.getContext("2d")?.drawImage(bitmap, 0, 0);
      bitmap.close();
    }
    this.drawing = false;
  }
}

export function Screen(props: { pictures: Pictures; hands: Hands; steers: boolean; kind: string; caption: string; grabs: string; grabFailed: string; children: ComponentChildren }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const { pictures, hands } = props;
  useEffect(() => {
    pictures.canvas = canvas.current;
    return () => {
      pictures.canvas = null;
    };
  }, [pictures]);
  useMouse(canvas, hands, props.steers);
  return (
    <div class={`screen by-${props.kind}`}>
      <canvas ref={canvas} width={320} height={240} role="img" aria-label={props.caption} />
      {props.steers && <span class={`crosshair${props.grabs ? " on-target" : ""}`} aria-hidden="true" />}
      {props.steers && (props.grabFailed || props.grabs) && (
        <span class={`grab-hint${props.grabFailed ? " failed" : ""}`} role="status">
          {props.grabFailed ? `Nothing grabbed: ${props.grabFailed}` : `grab: ${props.grabs}`}
        </span>
      )}
      {props.children}
    </div>
  );
}

function useMouse(canvas: { current: HTMLCanvasElement | null }, hands: Hands, steers: boolean): void {
  useEffect(() => {
    const element = canvas.current;
    if (!element) return undefined;
    const locked = () => document.pointerLockElement === element;
    if (!steers && locked()) document.exitPointerLock();
    const down = (event: MouseEvent) => {
      if (!steers || event.button !== 0) return;
      if (locked()) hands.press("Mouse");
      else void Promise.resolve(element.requestPointerLock()).catch(() => undefined); // refused right after Escape
    };
    const up = () => hands.release("Mouse");
    const move = (event: MouseEvent) => locked() && hands.move(event.movementX, event.movementY);
    const wheel = (event: WheelEvent) => {
      if (!steers) return;
      event.preventDefault();
      hands.wheel(-event.deltaY);
    };
    element.addEventListener("mousedown", down);
    addEventListener("mouseup", up);
    document.addEventListener("mousemove", move);
    element.addEventListener("wheel", wheel, { passive: false });
    return () => {
      element.removeEventListener("mousedown", down);
      removeEventListener("mouseup", up);
      document.removeEventListener("mousemove", move);
      element.removeEventListener("wheel", wheel);
    };
  }, [hands, steers]);
}
