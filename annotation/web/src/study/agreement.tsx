// Agreement of raters, and how each differs from the others.
import { count } from "../words";
import { Interval } from "./charts";
import type { AboveChance, Data, Estimate, Measures, Project } from "./data";
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
            <Bias measures={measures} project={project} name={name} />
            <Pairs measures={measures} name={name} />
          </>
        )
      }
    />
  );
}

/** A share between 0 and 1; the tick is where chance is. */
function Share(props: { estimate: AboveChance }) {
  return <Interval estimate={props.estimate} low={0} high={1} zero={props.estimate.chance ?? 0} percent />;
}

function Overall(props: { measures: Measures; project: Project }) {
  const { agreement, shared } = props.measures;
  const percent = (share: number | null) => (share === null ? "–" : `${Math.round(100 * share)}%`);
  const row = (key: string, what: string, estimate: AboveChance, means: string) => ({
    key,
    cells: [what, <Share estimate={estimate} />, percent(estimate.chance), <span class="wrap">{means}</span>],
  });
  return (
    <Section title="All raters together">
      <p class="hint">
        Over {count(shared, "episode")} that several raters have marked. Marks at most {count(props.project.tolerance, "step")} apart mean the same moment. Intervals are of 95%, by resampling episodes. The tick on each line is the level of
        chance.
      </p>
      <Table
        name="All raters together"
        columns={["measure", "value", { name: "by chance", number: true }, "what it means"]}
        rows={[
          row("whether", "whether: a mark near", agreement.whether, "Of the moments that one of two raters marked, those that both marked, whatever the sign. Chance: the same marks, moved around the episode at random."),
          row("sign", "sign, where both marked", agreement.sign, "Of the moments that both marked, those with the same sign. Chance: signs drawn at random, with as many (+)."),
          row("overall", "both", agreement.overall, "Of the moments that one of two raters marked, those that both marked with the same sign."),
          {
            key: "alpha",
            cells: [
              "Krippendorff's alpha",
              <Interval estimate={agreement.alpha} low={-0.2} high={1} zero={0} />,
              "0",
              <span class="wrap">
                Agreement on marks, signs and empty stretches at once; 1 is perfect agreement, 0 is chance. As raters agree on most of an episode by not marking it, alpha is high even where signs are random: read it with the two shares above.
              </span>,
            ],
          },
        ]}
      />
    </Section>
  );
}

function Bias(props: { measures: Measures; project: Project; name: (rater: string) => string }) {
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
          { name: "later than others (steps)", title: `At moments that both mark; ${props.project.steps_per_second} steps are a second` },
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
        columns={["raters", { name: "episodes", number: true }, "whether: a mark near", "sign, where both marked"]}
        rows={props.measures.agreement.pairs.map((pair) => ({
          key: pair.raters.join(),
          cells: [
            pair.raters.map(props.name).join(" and "),
            pair.episodes,
            <Share estimate={pair.whether} />,
            <Share estimate={pair.sign} />,
          ],
        }))}
        empty="No two raters have marked the same episode yet."
      />
    </Section>
  );
}
