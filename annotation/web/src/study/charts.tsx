// Small charts as SVG: bars over time, histograms, and a number with its interval.
import type { Estimate } from "./data";

const WIDTH = 560;
const HEIGHT = 150;
const LEFT = 36;
const BOTTOM = 20;
const TOP = 12;

interface Bar {
  label: string; // shown when the mouse is over the bar
  value: number;
}

export function BarChart(props: { title: string; bars: Bar[]; from: string; to: string; middle?: string; unit: string; note?: string }) {
  const { bars } = props;
  const most = Math.max(1, ...bars.map((bar) => bar.value));
  const wide = (WIDTH - LEFT) / Math.max(1, bars.length);
  const y = (value: number) => TOP + (HEIGHT - TOP - BOTTOM) * (1 - value / most);
  return (
    <figure class="chart">
      <figcaption>
        {props.title}
        {props.note && <small> {props.note}</small>}
      </figcaption>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={`${props.title}: at most ${short(most)} ${props.unit}`}>
        <line class="axis" x1={LEFT} x2={WIDTH} y1={y(0)} y2={y(0)} />
        <line class="grid" x1={LEFT} x2={WIDTH} y1={y(most)} y2={y(most)} />
        <text x={LEFT - 6} y={y(most) + 4} text-anchor="end">
          {short(most)}
        </text>
        <text x={LEFT - 6} y={y(0) + 4} text-anchor="end">
          0
        </text>
        {bars.map((bar, index) => (
          <rect key={index} class="bar" x={LEFT + index * wide + Math.min(2, wide * 0.1)} width={Math.max(0.5, wide - Math.min(4, wide * 0.2))} y={y(bar.value)} height={y(0) - y(bar.value)}>
            <title>{`${bar.label}: ${short(bar.value)} ${props.unit}`}</title>
          </rect>
        ))}
        <text x={LEFT} y={HEIGHT - 4}>
          {props.from}
        </text>
        {props.middle && (
          <text x={(LEFT + WIDTH) / 2} y={HEIGHT - 4} text-anchor="middle">
            {props.middle}
          </text>
        )}
        <text x={WIDTH} y={HEIGHT - 4} text-anchor="end">
          {props.to}
        </text>
      </svg>
    </figure>
  );
}

const BINS = 20;

/** How often values occur; the largest 2% share the last bar. */
export function Histogram(props: { title: string; values: number[]; unit: string; of: string }) {
  const sorted = [...props.values].sort((a, b) => a - b);
  const largest = sorted[Math.floor(0.98 * (sorted.length - 1))] ?? 1;
  const every = niceStep(Math.max(largest, 1e-9) / BINS);
  const count = Math.max(1, Math.floor(largest / every) + 1);
  const bars = Array.from({ length: count }, (_, bin) => ({ label: `${short(bin * every)} to ${short((bin + 1) * every)} ${props.unit}`, value: 0 }));
  for (const value of sorted) bars[Math.min(count - 1, Math.floor(value / every))]!.value += 1;
  const middle = sorted.length ? sorted[Math.floor((sorted.length - 1) / 2)]! : 0;
  return (
    <BarChart
      title={props.title}
      note={sorted.length ? `median ${short(middle)} ${props.unit}` : "nothing yet"}
      bars={bars}
      from="0"
      middle={props.unit}
      to={short(count * every)}
      unit={props.of}
    />
  );
}

function niceStep(least: number): number {
  const ten = 10 ** Math.floor(Math.log10(least));
  return [1, 2, 5, 10].map((times) => times * ten).find((step) => step >= least) ?? least;
}

export function short(value: number): string {
  return Math.abs(value) >= 100 || Number.isInteger(value) ? Math.round(value).toLocaleString() : value.toFixed(Math.abs(value) < 10 ? 2 : 1);
}

/** A number with its interval, drawn on a line from `low` to `high` with a tick at `zero`. */
export function Interval(props: { estimate: Estimate; low: number; high: number; zero: number; percent?: boolean; signed?: boolean; digits?: number }) {
  const { estimate } = props;
  if (estimate.value === null) return <span class="hint">–</span>;
  const x = (value: number) => 2 + (96 * (Math.min(props.high, Math.max(props.low, value)) - props.low)) / (props.high - props.low);
  const said = (value: number) => (props.signed && value > 0 ? "+" : "") + (props.percent ? `${Math.round(100 * value)}%` : value.toFixed(props.digits ?? 2));
  const clear = estimate.low !== null && estimate.high !== null && (estimate.low > props.zero || estimate.high < props.zero);
  return (
    <span class="interval">
      <span class="interval-value">{said(estimate.value)}</span>
      <svg viewBox="0 0 100 14" preserveAspectRatio="none" aria-hidden="true">
        <line class="axis" x1={2} x2={98} y1={7} y2={7} vector-effect="non-scaling-stroke" />
        <line class="axis" x1={x(props.zero)} x2={x(props.zero)} y1={2} y2={12} vector-effect="non-scaling-stroke" />
        {estimate.low !== null && estimate.high !== null && (
          <line class={`range${clear ? " clear" : ""}`} x1={x(estimate.low)} x2={x(estimate.high)} y1={7} y2={7} vector-effect="non-scaling-stroke" />
        )}
        <rect class={`point${clear ? " clear" : ""}`} x={x(estimate.value) - 1} width={2} y={2.5} height={9} />
      </svg>
      <span class="interval-range">{estimate.low === null || estimate.high === null ? "one episode" : `${said(estimate.low)} to ${said(estimate.high)}`}</span>
    </span>
  );
}
