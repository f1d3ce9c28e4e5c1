// The one frame of every table: a head, rows whose first cell names them, numbers to the right.
import type { ComponentChildren } from "preact";

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

export function Table(props: { columns: (Column | string)[]; rows: TableRow[]; empty?: string }) {
  const columns = props.columns.map((column): Column => (typeof column === "string" ? { name: column } : column));
  if (props.rows.length === 0 && props.empty) return <p class="hint">{props.empty}</p>;
  return (
    <div class="scroll">
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
    </div>
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
