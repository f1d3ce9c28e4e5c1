// Tables: a head, rows whose first cell names them, numbers to the right.
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

export interface Column {
  name: string;
  number?: boolean;
  title?: string;
}

export interface TableRow {
  key: string;
  cells: ComponentChildren[];
  class?: string;
}

/** Scrolls sideways where the window is too narrow; then the Tab key reaches it, and arrow keys scroll it. */
export function Wide(props: { name: string; children: ComponentChildren }) {
  const frame = useRef<HTMLDivElement>(null);
  const [tooWide, setTooWide] = useState(false);
  useEffect(() => {
    const measure = () => frame.current && setTooWide(frame.current.scrollWidth > frame.current.clientWidth);
    const watching = new ResizeObserver(measure);
    for (const element of [frame.current, frame.current?.firstElementChild]) if (element) watching.observe(element);
    return () => watching.disconnect();
  }, []);
  return (
    <div class="scroll" ref={frame} {...(tooWide && { tabIndex: 0, role: "region", "aria-label": props.name })}>
      {props.children}
    </div>
  );
}

export function Table(props: { name: string; columns: (Column | string)[]; rows: TableRow[]; empty?: string }) {
  const columns = props.columns.map((column): Column => (typeof column === "string" ? { name: column } : column));
  if (props.rows.length === 0 && props.empty) return <p class="hint">{props.empty}</p>;
  return (
    <Wide name={props.name}>
      <table>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.name} scope="col" class={column.number ? "number" : ""} title={column.title}>
                {column.name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {props.rows.map((row) => (
            <tr key={row.key} class={row.class}>
              {row.cells.map((cell, index) =>
                index === 0 ? (
                  <th key={index} scope="row">
                    {cell}
                  </th>
                ) : (
                  <td key={index} class={columns[index]?.number ? "number" : ""}>
                    {cell}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </Wide>
  );
}

export function Section(props: { title: string; tools?: ComponentChildren; children: ComponentChildren }) {
  return (
    <section class="card">
      <div class="heading">
        <h2>{props.title}</h2>
        {props.tools}
      </div>
      {props.children}
    </section>
  );
}
