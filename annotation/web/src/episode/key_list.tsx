// A page's keys; folded away until they are asked for, unless they are `open`.

export function KeyList(props: { keys: [string, string][]; open?: boolean; hint?: string }) {
  return (
    <details class="panel keys" open={props.open}>
      <summary>Keys</summary>
      {props.hint && <p class="hint">{props.hint}</p>}
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
