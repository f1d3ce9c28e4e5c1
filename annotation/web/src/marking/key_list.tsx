// A page's keys, folded away until they are asked for.

export function KeyList(props: { keys: [string, string][] }) {
  return (
    <details class="panel keys">
      <summary>Keys</summary>
      <dl>
        {props.keys.map(([key, what]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
