// A dataset's episodes: filters, search of the dialogue, and pages of results.
import { useEffect, useState } from "preact/hooks";
import { ask } from "../api";
import { Trouble } from "../frame";
import { clock } from "../episode/player";
import { Wide } from "../study/table";
import { address, FILTERS, list, type Choices, type Filters, type Listed, type Overview, type Page } from "./data";

export interface Search {
  project: string;
  filters: Filters;
  page: number;
}

const TYPING_PAUSE_MS = 250; // before a search
const AGAIN_MS = 1500; // while episodes are still being indexed

export function List(props: { overview: Overview; search: Search; onSearch: (search: Search) => void }) {
  const { search, onSearch } = props;
  const [choices, setChoices] = useState<Choices>({ kinds: [], splits: [], players: [], tasks: [] });
  const [page, setPage] = useState<Page | null>(null);
  const [trouble, setTrouble] = useState("");
  const [round, setRound] = useState(0);
  const missing = page?.missing ?? 0;

  useEffect(() => {
    ask<Choices>("GET", `/api/look/${search.project}`)
      .then(setChoices)
      .catch((error: Error) => setTrouble(error.message));
  }, [search.project, missing === 0]);

  useEffect(() => {
    let current = true;
    const timer = setTimeout(() => {
      list(search.project, search.filters, search.page)
        .then((found) => {
          if (!current) return;
          setPage(found);
          setTrouble("");
          if (found.missing > 0) setTimeout(() => setRound((round) => round + 1), AGAIN_MS);
        })
        .catch((error: Error) => current && setTrouble(error.message));
    }, TYPING_PAUSE_MS);
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [search, round]);

  const change = (changed: Partial<Filters>) => onSearch({ ...search, filters: { ...search.filters, ...changed }, page: 0 });
  return (
    <>
      <FilterBar overview={props.overview} choices={choices} search={search} onSearch={onSearch} change={change} />
      <Trouble said={trouble} />
      <section class="card">
        <div class="heading">
          <p role="status">{page ? said(page) : "Looking…"}</p>
          {page && page.pages > 1 && <Pages page={search.page} pages={page.pages} onGo={(to) => onSearch({ ...search, page: to })} />}
        </div>
        {page && page.episodes.length > 0 && <Table project={search.project} episodes={page.episodes} stepsPerSecond={clockOf(props.overview, search)} />}
      </section>
    </>
  );
}

/** Steps in a second of the world of the searched dataset. */
function clockOf(overview: Overview, search: Search): number {
  return overview.datasets.find((dataset) => dataset.id === search.project)?.steps_per_second ?? 1;
}

function said(page: Page): string {
  const found = `${page.total.toLocaleString()} ${page.total === 1 ? "episode" : "episodes"}`;
  return page.missing > 0 ? `${found} so far; ${page.missing.toLocaleString()} are still being read` : found;
}

function FilterBar(props: { overview: Overview; choices: Choices; search: Search; onSearch: (search: Search) => void; change: (changed: Partial<Filters>) => void }) {
  const { search, choices, change } = props;
  const filters = search.filters;
  const select = (name: keyof Filters, label: string, any: string, values: [string, string][]) => (
    <label>
      {label}
      <select value={filters[name]} onChange={(e) => change({ [name]: e.currentTarget.value })}>
        <option value="">{any}</option>
        {values.map(([value, shown]) => (
          <option key={value} value={value}>
            {shown}
          </option>
        ))}
      </select>
    </label>
  );
  const stepsPerSecond = clockOf(props.overview, search);
  const same = (values: string[]) => values.map((value): [string, string] => [value, value]);
  const seconds = (name: "shortest" | "longest", label: string) => (
      <input type="number" min={0} class="short" aria-label={label} placeholder={name === "shortest" ? "from" : "to"} value={filters[name] && Math.round(Number(filters[name]) / stepsPerSecond)} onInput={(e) => change({ [name]: e.currentTarget.value && String(Math.round(Number(e.currentTarget.value) * stepsPerSecond)) })} />
  );
  return (
    <form class="card filters" onSubmit={(event) => event.preventDefault()} role="search">
      <label class="grow">
        said in the dialogue
        <input type="search" placeholder="words" maxLength={200} value={filters.words} onInput={(e) => change({ words: e.currentTarget.value })} />
      </label>
      {props.overview.datasets.length > 1 && (
        <label>
          dataset
          <select value={search.project} onChange={(e) => props.onSearch({ project: e.currentTarget.value, filters: FILTERS, page: 0 })}>
            {props.overview.datasets.map((dataset) => (
              <option key={dataset.id} value={dataset.id}>
                {dataset.title || (dataset.dataset === "." ? "(the folder itself)" : dataset.dataset)}
              </option>
            ))}
          </select>
        </label>
      )}
      {select("kind", "kind of play", "any", same(choices.kinds))}
      {select("player", "player", "any", same(choices.players))}
      {select("task", "task", "any", same(choices.tasks))}
      {select("outcome", "outcome", "any", [["succeeded", "all succeeded"], ["failed", "something failed"], ["none", "nothing checked"]])}
      {select("marks", "marks", "any", [["yes", "with marks"], ["no", "without marks"]])}
      {choices.splits.length > 1 && select("split", "split", "any", same(choices.splits))}
      <div class="pair">
        <span>length in seconds</span>
        {seconds("shortest", "at least so many seconds long")}
        {seconds("longest", "at most so many seconds long")}
      </div>
      <button type="button" class="quiet" disabled={Object.values(filters).every((value) => value === "")} onClick={() => change(FILTERS)}>
        Clear
      </button>
    </form>
  );
}

function Pages(props: { page: number; pages: number; onGo: (page: number) => void }) {
  return (
    <nav class="pages" aria-label="Pages">
      <button type="button" disabled={props.page === 0} onClick={() => props.onGo(props.page - 1)}>
        ‹ newer
      </button>
      <span>
        {props.page + 1} of {props.pages}
      </span>
      <button type="button" disabled={props.page + 1 >= props.pages} onClick={() => props.onGo(props.page + 1)}>
        older ›
      </button>
    </nav>
  );
}

function Table(props: { project: string; episodes: Listed[]; stepsPerSecond: number }) {
  return (
    <Wide name="Episodes">
      <table class="episodes">
        <thead>
          <tr>
            <th scope="col">episode</th>
            <th scope="col">asked first</th>
            <th scope="col">kind</th>
            <th scope="col">setter</th>
            <th scope="col">solver</th>
            <th scope="col" class="number">length</th>
            <th scope="col" class="number">done</th>
            <th scope="col" class="number">marks</th>
            <th scope="col">recorded</th>
          </tr>
        </thead>
        <tbody>
          {props.episodes.map((episode) => (
            <Row key={episode.id} project={props.project} episode={episode} stepsPerSecond={props.stepsPerSecond} />
          ))}
        </tbody>
      </table>
    </Wide>
  );
}

function Row(props: { project: string; episode: Listed; stepsPerSecond: number }) {
  const { project, episode, stepsPerSecond } = props;
  return (
    <>
      <tr class={episode.hits.length ? "has-hits" : ""}>
        <th scope="row">
          <a href={address(project, episode.id)} title={episode.name}>
            {episode.name.length > 24 ? `${episode.name.slice(0, 11)}…${episode.name.slice(-11)}` : episode.name}
          </a>{" "}
          {episode.gold && <span class="badge gold">gold</span>}
        </th>
        <td class="asked">{episode.asked}</td>
        <td>{episode.kind}</td>
        <td>{episode.setter}</td>
        <td>{episode.solver}</td>
        <td class="number">{clock(episode.steps, stepsPerSecond)}</td>
        <td class="number">{episode.requests ? `${episode.successes}/${episode.requests}` : "–"}</td>
        <td class="number">{episode.marks || "–"}</td>
        <td class="when">
          <span>{episode.created.slice(0, 10)}</span> <span>{episode.created.slice(11, 16)}</span>
        </td>
      </tr>
      {episode.hits.length > 0 && (
        <tr class="hits">
          <td colSpan={9}>
            {episode.hits.map((hit) => (
              <a key={`${hit.who}${hit.step}`} class="hit" href={address(project, episode.id, hit.step)}>
                <span class="time">{clock(hit.step, stepsPerSecond)}</span> <span class={`who ${hit.who}`}>{hit.who}</span> {hit.words}
              </a>
            ))}
          </td>
        </tr>
      )}
    </>
  );
}
