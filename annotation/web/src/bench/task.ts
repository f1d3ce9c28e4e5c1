// A rater task in the browser: what the server sends of an item, and the bench for it. See annotation/tasks.
import type { JSX } from "preact";
import type { Me } from "../api";
import { LocalStore, type Edit, type WorkInfo } from "../saving/local_store";
import type { Work } from "../saving/work";

/** An item that a rater works on, with their own answers. Nothing of it says whose play it is. */
export interface TaskItem<S extends Edit> extends WorkInfo {
  steps_per_second: number;
  answers: S[];
  submitted: boolean;
}

/** An item of a task whose people see the project's title and instructions. */
export interface Instructed {
  title: string;
  instructions: string;
}

export interface BenchProps<E extends WorkInfo> {
  person: Me;
  work: Work<E>;
  onNext: () => void;
}

export interface Task<S extends Edit, E extends TaskItem<S>> {
  kind: string; // as annotation/tasks names it
  title: string;
  done: string; // shown when there is nothing to do
  store: LocalStore<S, E>;
  Bench: (props: BenchProps<E>) => JSX.Element;
  Idle?: (props: { person: Me; onLook: () => void }) => JSX.Element; // while there is nothing to do, instead of `done`
}

/** A task; its work is kept in this browser under its kind. */
export function task<S extends Edit, E extends TaskItem<S>>(about: Omit<Task<S, E>, "store">): Task<S, E> {
  return { ...about, store: new LocalStore<S, E>(`rlhf-${about.kind}`) };
}

/** Where the server has this kind of work. */
export const routesOf = (kind: string) => `/api/tasks/${kind}`;
