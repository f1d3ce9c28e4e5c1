// The form of predicates with counts. Each is one stop of the Tab key; there, digits and arrows set its count.
import { countOf, type Choice, type ChoiceGroup, type Counts } from "./goal";

interface Props {
  groups: ChoiceGroup[];
  goal: Counts;
  disabled: boolean;
  onSet: (choice: Choice, count: number) => void;
}

export const FORM = "goal-form";

export function GoalForm(props: Props) {
  return (
    <section class="panel goal-form" id={FORM} aria-label="What the setter wanted">
      <h2>What did the setter want?</h2>
      <div class="goal-groups">
        {props.groups.map(({ group, choices }) => (
          <div key={group} class="goal-group" role="group" aria-label={group}>
            <h3>{group}</h3>
            {choices.map((choice) => (
              <Row key={choice.name} group={group} choice={choice} count={props.goal[choice.name] ?? 0} disabled={props.disabled} onSet={props.onSet} />
            ))}
          </div>
        ))}
      </div>
    </section>
  );
}

function Row({ group, choice, count, disabled, onSet }: { group: string; choice: Choice; count: number; disabled: boolean; onSet: Props["onSet"] }) {
  const press = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || disabled) return;
    const asked = countOf(event, count, choice.most);
    if (asked === undefined && event.key !== "Enter") return; // the film's keys work here, too
    event.preventDefault();
    event.stopPropagation();
    if (asked !== undefined) onSet(choice, asked);
  };
  const button = (sign: string, by: number) => (
    <button type="button" tabIndex={-1} aria-hidden="true" disabled={disabled || count + by < 0 || count + by > choice.most} onClick={() => onSet(choice, count + by)}>
      {sign}
    </button>
  );
  return (
    <div
      class={`goal-row${count ? " said" : ""}`}
      role="spinbutton"
      tabIndex={0}
      aria-label={`${choice.words} ${group}`}
      aria-valuemin={0}
      aria-valuemax={choice.most}
      aria-valuenow={count}
      aria-valuetext={choice.most > 1 ? String(count) : count ? "yes" : "no"}
      aria-disabled={disabled}
      data-predicate={choice.name}
      onKeyDown={press}
    >
      <span class="goal-words" title={choice.words}>
        {choice.words}
      </span>
      {button("−", -1)}
      <span class="goal-count">{choice.most > 1 ? count : count ? "yes" : "no"}</span>
      {button("+", 1)}
    </div>
  );
}
