// What this browser keeps on its own disk: marks until the server has them, and the episode that is being marked.
import type { Mark } from "./marks";

export interface Words {
  step: number;
  who: "setter" | "solver";
  words: string;
}

export interface Episode {
  id: string;
  steps: number;
  steps_per_second: number;
  words: Words[];
  marks: Mark[];
  position: number;
  active_sec: number;
  submitted: boolean;
  training: boolean; // known marks are shown after it is submitted
  title: string; // of its project
  instructions: string;
}

/** A mark that the server may not have yet. */
export interface KeptMark extends Mark {
  assignment: string;
  person: string;
}

export interface KeptEpisode {
  person: string; // one episode each
  episode: Episode;
  frames: ArrayBuffer;
  position: number;
}

const NAME = "rlhf-marking";
let opened: Promise<IDBDatabase> | undefined;

function open(): Promise<IDBDatabase> {
  opened ??= new Promise((resolve, reject) => {
    const request = indexedDB.open(NAME, 1);
    request.onupgradeneeded = () => {
      request.result.createObjectStore("marks", { keyPath: ["assignment", "id"] }).createIndex("person", "person");
      request.result.createObjectStore("episodes", { keyPath: "person" });
    };
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
  return opened;
}

async function within<T>(store: "marks" | "episodes", mode: IDBTransactionMode, work: (store: IDBObjectStore) => IDBRequest<T>): Promise<T> {
  const database = await open();
  return new Promise((resolve, reject) => {
    const transaction = database.transaction(store, mode, { durability: "strict" });
    const request = work(transaction.objectStore(store));
    transaction.oncomplete = () => resolve(request.result);
    transaction.onabort = () => reject(transaction.error ?? new Error("the browser cannot keep this"));
  });
}

export function keepMark(mark: KeptMark): Promise<unknown> {
  return within("marks", "readwrite", (store) => store.put(mark));
}

/** Everything that this person has in this browser, of any episode. */
export function keptMarks(person: string): Promise<KeptMark[]> {
  return within("marks", "readonly", (store) => store.index("person").getAll(person)) as Promise<KeptMark[]>;
}

/** Forget marks that the server has, unless they have changed since. */
export function forgetMarks(marks: KeptMark[]): Promise<unknown> {
  return within("marks", "readwrite", (store) => {
    for (const mark of marks) {
      const key = [mark.assignment, mark.id];
      const request = store.get(key);
      request.onsuccess = () => {
        if ((request.result as KeptMark | undefined)?.revision === mark.revision) store.delete(key);
      };
    }
    return store.count();
  });
}

export function keepEpisode(kept: KeptEpisode): Promise<unknown> {
  return within("episodes", "readwrite", (store) => store.put(kept));
}

export function keptEpisode(person: string): Promise<KeptEpisode | undefined> {
  return within("episodes", "readonly", (store) => store.get(person)) as Promise<KeptEpisode | undefined>;
}

export function forgetEpisode(person: string): Promise<unknown> {
  return within("episodes", "readwrite", (store) => store.delete(person));
}
