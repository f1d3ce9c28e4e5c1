// How far teaching has come, as annotation/server/teacher.py has it.
import { useEffect, useState } from "preact/hooks";
import { ApiError, ask } from "../api";

const POLL_MS = 2_000;

export interface Work {
  name: string;
  done: number; // share
  seconds_left: number | null;
}

export interface Taught {
  round: number;
  phase: "playing" | "marking" | "training" | "trained" | "failed";
  clips: number;
  marks: number;
  verdicts: number;
  predicted: { right: number; answers: number } | null;
  compared: { pairs: number; judged: number } | null;
  work: Work[];
  results: string[];
  trouble: string;
  asks: boolean; // people can ask the agent themselves now
}

let known: Taught | null = null; // shown at once after the next clip has come

/** The present state, asked for every two seconds; and why it is not known just now. */
export function useTaught(): { taught: Taught | null; trouble: string; ask: () => void } {
  const [taught, setTaught] = useState(known);
  const [trouble, setTrouble] = useState("");
  const [asked, setAsked] = useState(0);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let over = false;
    const look = async () => {
      try {
        const found = await ask<Taught>("GET", "/api/teach");
        if (over) return;
        setTaught((known = found));
        setTrouble("");
      } catch (error) {
        if (over) return;
        setTrouble((error as ApiError).message);
      }
      timer = setTimeout(() => void look(), POLL_MS);
    };
    void look();
    return () => {
      over = true;
      clearTimeout(timer);
    };
  }, [asked]);
  return { taught, trouble, ask: () => setAsked((number) => number + 1) };
}

/** A time in words, such as "about 4 minutes". */
export function duration(seconds: number): string {
  if (seconds < 90) return `about ${Math.max(10, Math.round(seconds / 10) * 10)} seconds`;
  return `about ${Math.round(seconds / 60)} minutes`;
}
