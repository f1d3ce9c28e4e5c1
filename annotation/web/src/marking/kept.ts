// What this browser keeps on its own disk: what somebody says until the server has it, and what they are working on.

export interface Words {
  step: number;
  who: "setter" | "solver";
  words: string;
}

/** What every page that shows an episode knows of it. ``id`` is the assignment's. */
export interface Shown {
  id: string;
  steps: number;
  steps_per_second: number;
  words: Words[];
  position: number;
  active_sec: number;
  submitted: boolean;
}

/** Something that is said of an episode; of two sayings of one id the one with the higher revision counts. */
export interface Saying {
  id: string;
  revision: number;
}

/** A saying that the server may not have yet. */
export type Kept<S> = S & { assignment: string; person: string };

export interface KeptWork<E> {
  person: string; // one piece of work each
  episode: E;
  frames: ArrayBuffer;
  position: number;
}

const SAYINGS = "marks"; // as the first of them were called
const WORK = "episodes";

/** One database of this browser, for one kind of work. */
export class Shelf<S extends Saying, E extends Shown> {
  private opened: Promise<IDBDatabase> | undefined;

  constructor(private readonly name: string) {}

  keep(saying: Kept<S>): Promise<unknown> {
    return this.within(SAYINGS, "readwrite", (store) => store.put(saying));
  }

  /** Everything that this person has in this browser, of any episode. */
  kept(person: string): Promise<Kept<S>[]> {
    return this.within(SAYINGS, "readonly", (store) => store.index("person").getAll(person)) as Promise<Kept<S>[]>;
  }

  /** Forget what the server has, unless it has changed since. */
  forget(sayings: Kept<S>[]): Promise<unknown> {
    return this.within(SAYINGS, "readwrite", (store) => {
      for (const saying of sayings) {
        const key = [saying.assignment, saying.id];
        const request = store.get(key);
        request.onsuccess = () => {
          if ((request.result as Kept<S> | undefined)?.revision === saying.revision) store.delete(key);
        };
      }
      return store.count();
    });
  }

  keepWork(work: KeptWork<E>): Promise<unknown> {
    return this.within(WORK, "readwrite", (store) => store.put(work));
  }

  work(person: string): Promise<KeptWork<E> | undefined> {
    return this.within(WORK, "readonly", (store) => store.get(person)) as Promise<KeptWork<E> | undefined>;
  }

  forgetWork(person: string): Promise<unknown> {
    return this.within(WORK, "readwrite", (store) => store.delete(person));
  }

  private open(): Promise<IDBDatabase> {
    this.opened ??= new Promise((resolve, reject) => {
      const request = indexedDB.open(this.name, 1);
      request.onupgradeneeded = () => {
        request.result.createObjectStore(SAYINGS, { keyPath: ["assignment", "id"] }).createIndex("person", "person");
        request.result.createObjectStore(WORK, { keyPath: "person" });
      };
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    });
    return this.opened;
  }

  private async within<T>(name: string, mode: IDBTransactionMode, work: (store: IDBObjectStore) => IDBRequest<T>): Promise<T> {
    const database = await this.open();
    return new Promise((resolve, reject) => {
      const transaction = database.transaction(name, mode, { durability: "strict" });
      const request = work(transaction.objectStore(name));
      transaction.oncomplete = () => resolve(request.result);
      transaction.onabort = () => reject(transaction.error ?? new Error("the browser cannot keep this"));
    });
  }
}
