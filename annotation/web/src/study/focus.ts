// A form that opens elsewhere on the page takes the focus, and gives it back when it closes.
import { useLayoutEffect, useRef } from "preact/hooks";

export function useFocus<E extends HTMLElement>(): { current: E | null } {
  const opened = useRef<E>(null);
  // Before the page is drawn: who sees the form may write into it at once.
  useLayoutEffect(() => {
    const before = document.activeElement;
    opened.current?.focus();
    opened.current?.scrollIntoView({ block: "nearest" });
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  return opened;
}
