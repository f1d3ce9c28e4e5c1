// Looking at recorded play: the list of a dataset's episodes, or, where the address names one, that episode.
import { useEffect, useState } from "preact/hooks";
import { ApiError, ask, me, untilAnswered, type Me } from "./api";
import { Frame, Trouble } from "./frame";
import { FILTERS, type Overview } from "./viewer/data";
import { List, type Search } from "./viewer/list";
import { Viewer } from "./viewer/viewer";

export function Look() {
  const [person, setPerson] = useState<Me | null>(null);
  const [overview, setOverview] = useState<Overview | null>(null);
  const [trouble, setTrouble] = useState("");
  const [search, setSearch] = useState<Search>({ project: "", filters: FILTERS, page: 0 });
  const [project, episode, step] = useHash();

  useEffect(() => {
    untilAnswered(me, setTrouble)
      .then(setPerson)
      .then(() => untilAnswered(() => ask<Overview>("GET", "/api/look"), setTrouble))
      .then((found) => {
        setOverview(found);
        setSearch((search) => ({ ...search, project: project || found.datasets[0]?.id || "" }));
      })
      .catch((error: ApiError) => (error.status === 401 ? location.replace("./") : setTrouble(error.message)));
  }, []);

  if (person && overview && project && episode) {
    return <Viewer key={episode} person={person} overview={overview} project={project} episode={episode} step={Number(step) || 0} />;
  }
  return (
    <Frame title="Look at episodes" me={person} wide>
      <div class="look">
        <Trouble said={trouble} />
        {overview && search.project && <List overview={overview} search={search} onSearch={setSearch} />}
        {overview && overview.datasets.length === 0 && <p class="card">There is no dataset here yet.</p>}
      </div>
    </Frame>
  );
}

/** What stands behind the # of the address, between its slashes. */
function useHash(): string[] {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const changed = () => setHash(location.hash);
    addEventListener("hashchange", changed);
    return () => removeEventListener("hashchange", changed);
  }, []);
  return hash.slice(1).split("/");
}
