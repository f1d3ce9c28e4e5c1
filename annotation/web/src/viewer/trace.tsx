// A reward model's utility and reward at every step, drawn on the line of time.
import { useEffect, useState } from "preact/hooks";
import { ask } from "../api";
import type { Trace } from "./data";
import { Row } from "./tracks";

const AGAIN_MS = 1000;
const SLOW_SEC = 20;

export interface Asked {
  trace: Trace | null;
  retry: () => void;
}

/** The trace of an episode by a model, asked for until it is there or has failed. */
export function useTrace(project: string, episode: string, model: string): Asked {
  const [trace, setTrace] = useState<Trace | null>(null);
  const [round, setRound] = useState(0);
  useEffect(() => {
    setTrace(null);
    if (!model) return undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let current = true;
    const look = async (again: boolean) => {
      const found = await ask<Trace>("POST", `/api/look/${project}/episodes/${episode}/trace`, { model, again }).catch(
        (error: Error): Trace => ({ state: "failed", why: error.message }),
      );
      if (!current) return;
      setTrace(found);
      if (found.state === "working") timer = setTimeout(() => void look(false), AGAIN_MS);
    };
    void look(round > 0);
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [project, episode, model, round]);
  return { trace, retry: () => setRound((round) => round + 1) };
}

export function TraceRows(props: { trace: Asked; step: number }) {
  const { trace, retry } = props.trace;
  if (trace?.state === "ready") {
    return (
      <>
        <Row label="utility" note={number(trace.utility[props.step])} scale={range(trace.utility)}>
          <Line values={trace.utility} />
        </Row>
        <Row label="reward" note={number(trace.reward[props.step])} scale={[number(largest(trace.reward)), number(-largest(trace.reward))]}>
          <Bars values={trace.reward} />
        </Row>
      </>
    );
  }
  return (
    <div class="trace-state" role="status">
      {trace?.state === "failed" ? (
        <>
          <span class="bad">The reward model did not answer: {trace.why}</span>
          <button type="button" onClick={retry}>
            Try again
          </button>
        </>
      ) : (
        <span>{waiting(trace)}</span>
      )}
    </div>
  );
}

function waiting(trace: Trace | null): string {
  if (trace?.state !== "working") return "Asking the reward model…";
  const before = trace.before > 0 ? ` (${trace.before} before it)` : "";
  const slow = trace.seconds > SLOW_SEC ? `, for ${trace.seconds} s; long episodes and large models take time` : "";
  return `The reward model is being asked${before}${slow}…`;
}

function number(value: number | undefined): string {
  return value === undefined ? "" : value.toFixed(3);
}

/** Highest and lowest, as they are written beside a row. */
function range(values: number[]): [string, string] {
  return [number(Math.max(...values)), number(Math.min(...values))];
}

function largest(values: number[]): number {
  return Math.max(...values.map(Math.abs)) || 1;
}

/** A line through values; the x axis is steps, so that it lies under the marks. */
function Line(props: { values: number[] }) {
  const low = Math.min(...props.values);
  const high = Math.max(...props.values);
  const y = (value: number) => (high > low ? 96 - (92 * (value - low)) / (high - low) : 50);
  const points = props.values.map((value, step) => `${step + 0.5},${y(value).toFixed(2)}`).join(" ");
  return (
      <svg class="trace" viewBox={`0 0 ${props.values.length} 100`} preserveAspectRatio="none" role="img" aria-label={`Utility from ${number(low)} to ${number(high)}`}>
        <polyline points={points} class="utility" vector-effect="non-scaling-stroke" />
      </svg>
  );
}

function Bars(props: { values: number[] }) {
  const most = largest(props.values);
  const bar = (value: number, step: number) => {
    const height = (48 * Math.abs(value)) / most;
    return <rect key={step} x={step + 0.1} width={0.8} y={value > 0 ? 50 - height : 50} height={height} class={value > 0 ? "up" : "down"} />;
  };
  return (
      <svg class="trace" viewBox={`0 0 ${props.values.length} 100`} preserveAspectRatio="none" role="img" aria-label={`Reward, at most ${number(most)} up or down`}>
        <line x1={0} x2={props.values.length} y1={50} y2={50} class="zero" vector-effect="non-scaling-stroke" />
        {props.values.map((value, step) => (Math.abs(value) > most / 500 ? bar(value, step) : null))}
      </svg>
  );
}
