// The store of this browser: edits until the server has them, and the piece of work that is open.

/** A piece of work that this browser keeps: an episode, or a pair of clips. ``id`` is the assignment's. */
export interface WorkInfo {
  id: string;
  steps: number; // for each of which there is a picture
  position?: number; // the step that was shown last
  active_sec: number; // time of work on earlier visits
}

/** A mark, a verdict or an answer; of two edits with one id the one with the higher revision counts. */
export interface Edit {
  id: string;
  revision: number;
}

/** An edit that the server may not have yet. */
export type PendingEdit<S> = S & { assignment: string; person: string };

export interface SavedWork<E> {
  person: string; // each has one piece of work
  episode: E;
  frames: ArrayBuffer | null; // every recorded picture, once all are loaded
  position: number;
}

const EDITS = "marks"; // the name since the first version
const WORK = "episodes";

/** One database of this browser, for one kind of work. */
export class LocalStore<S extends Edit, E extends WorkInfo> {
  private opened: Promise<IDBDatabase> | undefined;

  constructor(private readonly name: string) {}

  keep(edit: PendingEdit<S>): Promise<unknown> {
    return this.within(EDITS, "readwrite", (store) => store.put(edit));
  }

  /** All edits of this person in this browser, of any episode. */
  kept(person: string): Promise<PendingEdit<S>[]> {
    return this.within(EDITS, "readonly", (store) => store.index("person").getAll(person)) as Promise<PendingEdit<S>[]>;
  }

  /** Forget edits that the server has, unless they have changed since. */
  forget(edits: PendingEdit<S>[]): Promise<unknown> {
    return this.within(EDITS, "readwrite", (store) => {
      for (const edit of edits) {
        const key = [edit.assignment, edit.id];
        const request = store.get(key);
        request.onsuccess = () => {
          if ((request.result as PendingEdit<S> | undefined)?.revision === edit.revision) store.delete(key);
        };
      }
      return store.count();
    });
  }

  saveWork(work: SavedWork<E>): Promise<unknown> {
    return this.within(WORK, "readwrite", (store) => store.put(work));
  }

  /** Change the piece of work that is kept, if it is still the one of this id: in one step, so that no change undoes another. */
  changeWork(person: string, id: string, changed: (kept: SavedWork<E>) => SavedWork<E>): Promise<unknown> {
    return this.within(WORK, "readwrite", (store) => {
      const request = store.get(person) as IDBRequest<SavedWork<E> | undefined>;
      request.onsuccess = () => {
        if (request.result?.episode.id === id) store.put(changed(request.result));
      };
      return request;
    });
  }

  work(person: string): Promise<SavedWork<E> | undefined> {
    return this.within(WORK, "readonly", (store) => store.get(person)) as Promise<SavedWork<E> | undefined>;
  }

  forgetWork(person: string): Promise<unknown> {
    return this.within(WORK, "readwrite", (store) => store.delete(person));
  }

  private open(): Promise<IDBDatabase> {
    this.opened ??= new Promise((resolve, reject) => {
      const request = indexedDB.open(this.name, 1);
      request.onupgradeneeded = () => {
        request.result.createObjectStore(EDITS, { keyPath: ["assignment", "id"] }).createIndex("person", "person");
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
