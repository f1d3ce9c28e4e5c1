// A number that is sent to the server when it is changed.
import { useState } from "preact/hooks";

interface Props {
  value: number; // as the server has it
  least: number;
  label?: string; // where no label stands around it
  onSet: (value: number) => Promise<unknown>; // ends when `value` is the server's answer
}

/** What is being typed stays when the page is refreshed meanwhile. */
export function NumberSetting({ value, least, label, onSet }: Props) {
  const [typed, setTyped] = useState<string | null>(null);
  const send = (field: HTMLInputElement) => {
    const sent = field.value;
    if (field.reportValidity()) void onSet(Number(sent)).then(() => setTyped((now) => (now === sent ? null : now)));
  };
  return (
    <input
      type="number"
      min={least}
      max={1000}
      value={typed ?? value}
      aria-label={label}
      onInput={(e) => setTyped(e.currentTarget.value)}
      onChange={(e) => send(e.currentTarget)}
      onBlur={(e) => e.currentTarget.value === String(value) && setTyped(null)}
      required
    />
  );
}
