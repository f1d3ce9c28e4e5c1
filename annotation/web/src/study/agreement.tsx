// How far raters agree, and in what each differs from the others.
import { Interval } from "./charts";
import type { Data, Estimate, Measures, Project } from "./data";
import { WithMeasures } from "./measured";
import { Section, Table } from "./table";

export function Agreement(props: { data: Data }) {
  const names = new Map(props.data.people.map((person) => [person.pseudonym, person.name]));
  const name = (rater: string) => names.get(rater) ?? rater;
  return (
    <WithMeasures
      data={props.data}
      show={({ measures }, project) =>
        measures && (
          <>
            <Overall measures={measures} project={project} />
            <Bias measures={measures} name={name} />
            <Pairs measures={measures} name={name} />
          </>
        )
      }
    />
  );
}

function Overall(props: { measures: Measures; project: Project }) {
  const { agreement, shared } = props.measures;
  const row = (key: string, what: string, estimate: Estimate, low: number, percent: boolean, means: string) => ({
    key,
    cells: [what, <Interval estimate={estimate} low={low} high={1} zero={0} percent={percent} />, <span class="wrap">{means}</span>],
  });
  return (
    <Section title="All raters together">
      <p class="hint">
        Over {shared.toLocaleString()} {shared === 1 ? "episode" : "episodes"} that several raters have marked. Marks at most {props.project.tolerance} steps apart mean the same moment. Intervals are of 95%, by resampling episodes.
      </p>
      <Table
        name="All raters together"
        columns={["measure", "value", "what it means"]}
        rows={[
          row("alpha", "Krippendorff's alpha", agreement.alpha, -0.2, false, "agreement on where marks are and on their sign, less that of chance: 1 is the same, 0 is chance"),
          row("overall", "same moment, same sign", agreement.overall, 0, true, "of every moment that one of two raters marked"),
          row("moments", "same moment", agreement.of_moments, 0, true, "whatever the sign"),
          row("signs", "same sign", agreement.of_signs, 0, true, "of the moments that both marked"),
        ]}
      />
    </Section>
  );
}

function Bias(props: { measures: Measures; name: (rater: string) => string }) {
  const raters = [...props.measures.raters].sort((a, b) => props.name(a.rater).localeCompare(props.name(b.rater)));
  const widest = (pick: (rater: (typeof raters)[number]) => Estimate, least: number) =>
    Math.max(least, ...raters.flatMap((rater) => [pick(rater).value, pick(rater).low, pick(rater).high].map((value) => Math.abs(value ?? 0))));
  const rate = widest((rater) => rater.rate_difference, 2);
  const lag = widest((rater) => rater.lag, 1);
  const percent = (share: number | null) => (share === null ? "–" : `${Math.round(100 * share)}%`);
  return (
    <Section title="Each rater beside the others, on the same episodes">
      <Table
        name="Each rater beside the others, on the same episodes"
        columns={[
          "rater",
          { name: "episodes", number: true },
          { name: "(+)", number: true, title: "Share of the rater's marks that are (+)" },
          "more (+) than others",
          { name: "marks / 5 min", number: true },
          "more marks than others",
          { name: "later than others (steps)", title: "At moments that both mark; 3.75 steps are a second" },
        ]}
        rows={raters.map((rater) => ({
          key: rater.rater,
          cells: [
            props.name(rater.rater),
            rater.episodes,
            percent(rater.share),
            <Interval estimate={rater.share_difference} low={-0.5} high={0.5} zero={0} percent signed />,
            rater.rate?.toFixed(1) ?? "–",
            <Interval estimate={rater.rate_difference} low={-rate} high={rate} zero={0} digits={1} signed />,
            <Interval estimate={rater.lag} low={-lag} high={lag} zero={0} signed />,
          ],
        }))}
        empty="Nobody has submitted anything yet."
      />
      <p class="hint">An interval that does not touch the middle is drawn strongly: that rater differs from the others by more than chance.</p>
    </Section>
  );
}

function Pairs(props: { measures: Measures; name: (rater: string) => string }) {
  return (
    <Section title="Two raters at a time">
      <Table
        name="Two raters at a time"
        columns={["raters", { name: "episodes", number: true }, "same moment, same sign", "same sign where both marked"]}
        rows={props.measures.agreement.pairs.map((pair) => ({
          key: pair.raters.join(),
          cells: [
            pair.raters.map(props.name).join(" and "),
            pair.episodes,
            <Interval estimate={pair.overall} low={0} high={1} zero={0} percent />,
            <Interval estimate={pair.of_signs} low={0} high={1} zero={0} percent />,
          ],
        }))}
        empty="No two raters have marked the same episode yet."
      />
    </Section>
  );
}
