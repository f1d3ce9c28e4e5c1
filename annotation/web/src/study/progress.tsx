// Progress of marking: episodes and marks over time, marks in five minutes, time for an episode.
import { BarChart, Histogram } from "./charts";
import type { Data, Measures } from "./data";
import { WithMeasures } from "./measured";
import { Section } from "./table";

export function Progress(props: { data: Data }) {
  return (
    <WithMeasures
      data={props.data}
      show={({ measures }) =>
        measures && (
          <Section title="Progress">
            <dl class="figures">
              <div>
                <dt>episodes submitted</dt>
                <dd>{measures.submissions.toLocaleString()}</dd>
              </div>
              <div>
                <dt>marks</dt>
                <dd>{measures.marks.toLocaleString()}</dd>
              </div>
              <div>
                <dt>episodes with several raters</dt>
                <dd>{measures.shared.toLocaleString()}</dd>
              </div>
            </dl>
            <div class="charts">
              <OverTime measures={measures} what="episodes" />
              <OverTime measures={measures} what="marks" />
              <Histogram title="Marks in five minutes" values={measures.rates} unit="marks" of="episodes" />
              <Histogram title="Time for an episode" values={measures.minutes} unit="minutes" of="episodes" />
              {measures.seen.length > 0 && <Histogram title="Share of an episode that was seen" values={measures.seen.map((share) => 100 * share)} unit="%" of="episodes" />}
            </div>
            <p class="hint">
              The paper's raters gave 14 marks in five minutes on average. Pauses of more than ten seconds do not count as time. Training is left out of the charts of marks in five minutes, of time and of the share seen.
            </p>
          </Section>
        )
      }
    />
  );
}

function OverTime(props: { measures: Measures; what: "episodes" | "marks" }) {
  const { every_sec, bins } = props.measures.over_time;
  const hourly = every_sec < 86400;
  const when = (begin: number) =>
    new Date(1000 * begin).toLocaleString(undefined, hourly ? { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" } : { day: "numeric", month: "short" });
  const bars = bins.map((bin) => ({ label: when(bin.begin), value: bin[props.what] }));
  const unit = hourly ? "hour" : every_sec < 7 * 86400 ? "day" : every_sec < 28 * 86400 ? "week" : "four weeks";
  const title = `${props.what === "episodes" ? "Episodes" : "Marks"} each ${unit}`;
  return <BarChart title={title} bars={bars} from={bins[0] ? when(bins[0].begin) : ""} to={bins.length > 1 ? when(bins[bins.length - 1]!.begin) : ""} unit={props.what} />;
}
