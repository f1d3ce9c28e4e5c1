// On the study leader's page: the suites that are judged, and their progress.
import { useEffect, useState } from "preact/hooks";
import { ask } from "../api";
import { Trouble } from "../frame";
import { NumberSetting } from "../study/number_setting";
import { Wide } from "../study/table";

interface Suite {
  id: string;
  dataset: string;
  overlap: number;
  open: boolean;
  continuations: number;
  wanted: number;
  submitted: number;
  begun: number;
  exported: number;
}

const REFRESH_MS = 10_000;

export function Suites() {
  const [suites, setSuites] = useState<Suite[]>([]);
  const [trouble, setTrouble] = useState("");
  const load = () =>
    ask<{ suites: Suite[] }>("GET", "/api/suites")
      .then((found) => setSuites(found.suites))
      .catch((error: Error) => setTrouble(error.message));
  const change = (suite: Suite, body: object) =>
    ask("PATCH", `/api/suites/${suite.id}`, body)
      .then(() => setTrouble(""))
      .then(load)
      .catch((error: Error) => setTrouble(error.message));
  useEffect(() => {
    void load();
    const timer = setInterval(() => document.visibilityState === "visible" && void load(), REFRESH_MS);
    return () => clearInterval(timer);
  }, []);
  if (suites.length === 0 && !trouble) return null;
  return (
    <section class="card">
      <h2>Test suites to be judged</h2>
      <Trouble said={trouble} />
      <Wide name="Test suites">
        <table>
          <thead>
            <tr>
              <th scope="col">dataset</th>
              <th scope="col" class="number">continuations</th>
              <th scope="col">judged</th>
              <th scope="col" class="number">being judged</th>
              <th scope="col" class="number">in the dataset</th>
              <th scope="col">judges each</th>
              <th scope="col">handed out</th>
            </tr>
          </thead>
          <tbody>
            {suites.map((suite) => (
              <tr key={suite.id}>
                <th scope="row">{suite.dataset === "." ? "(the folder itself)" : suite.dataset}</th>
                <td class="number">{suite.continuations}</td>
                <td>
                  <progress max={Math.max(1, suite.wanted)} value={suite.submitted} aria-label={`Judged of ${suite.dataset}`} /> {suite.submitted} of {suite.wanted}
                </td>
                <td class="number">{suite.begun}</td>
                <td class="number">{suite.exported}</td>
                <td>
                  <NumberSetting value={suite.overlap} least={1} label={`Judges for each continuation of ${suite.dataset}`} onSet={(overlap) => change(suite, { overlap })} />
                </td>
                <td>
                  <input
                    type="checkbox"
                    checked={suite.open}
                    aria-label={`Hand out continuations of ${suite.dataset}`}
                    onChange={(e) => change(suite, { open: e.currentTarget.checked })}
                  />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Wide>
    </section>
  );
}
