// Gold episodes: their list, how often they are given, and how raters do on them.
import { address } from "../viewer/data";
import { markingOf, type Change, type Data, type Measured, type Project } from "./data";
import { WithMeasures } from "./measured";
import { NumberSetting } from "./number_setting";
import { Section, Table } from "./table";

export function Gold(props: { data: Data; change: Change }) {
  const names = new Map(props.data.people.map((person) => [person.pseudonym, person.name]));
  return (
    <WithMeasures
      data={props.data}
      show={(measured, project, reload) => (
        <>
          <Episodes measured={measured} project={project} change={async (...said) => {
            const done = await props.change(...said);
            await reload();
            return done;
          }} />
          <Scores measured={measured} name={(rater) => names.get(rater) ?? rater} />
        </>
      )}
    />
  );
}

function Episodes(props: { measured: Measured; project: Project; change: Change }) {
  const { project, change } = props;
  const patch = (body: Partial<Project>) => change("PATCH", markingOf(project), body);
  const rows = props.measured.gold_episodes.map((gold) => ({
    key: gold.id,
    cells: [
      <a href={`look${address(project.id, gold.id)}`}>{gold.name}</a>,
      <select value={gold.purpose} aria-label={`What ${gold.name} is for`} onChange={(e) => change("PUT", `/api/gold/${gold.id}`, { rater: gold.source, purpose: e.currentTarget.value })}>
        <option>training</option>
        <option>quality</option>
      </select>,
      <code>{gold.source}</code>,
      gold.marks,
      gold.done,
      <button type="button" class="quiet" onClick={() => change("DELETE", `/api/gold/${gold.id}`)}>
        No longer gold
      </button>,
    ],
  }));
  return (
    <Section title="Episodes with known marks">
      <p class="hint">
        Every rater gets the episodes for <b>training</b> first, and sees the known marks beside their own after submitting. Episodes for <b>quality</b> come among the others, without notice. To make an episode gold, mark and submit it
        yourself, or have a scripted rater mark it, then open it from <a href="look">Look at episodes</a>.
      </p>
      <div class="row">
        <label>
          episodes for each one that is for quality (0: none)
          <NumberSetting value={project.gold_every} least={0} onSet={(gold_every) => patch({ gold_every })} />
        </label>
        <label class="check">
          <input type="checkbox" checked={project.export_gold} onChange={(e) => patch({ export_gold: e.currentTarget.checked })} /> write raters' marks of gold episodes into the dataset
        </label>
      </div>
      <Table
        name="Episodes with known marks"
        columns={["episode", "for", "marks of", { name: "marks", number: true }, { name: "raters so far", number: true }, "change"]}
        rows={rows}
        empty="There is none yet."
      />
    </Section>
  );
}

function Scores(props: { measured: Measured; name: (rater: string) => string }) {
  const percent = (share: number | null) => (share === null ? "–" : `${Math.round(100 * share)}%`);
  return (
    <Section title="How raters do on them">
      <Table
        name="How raters do on them"
        columns={[
          "rater",
          "on",
          { name: "episodes", number: true },
          { name: "precision", number: true, title: "Share of the rater's marks that are among the known ones, with the same sign" },
          { name: "recall", number: true, title: "Share of the known marks that the rater found" },
          { name: "F1", number: true, title: "The harmonic mean of the two" },
        ]}
        rows={(props.measured.measures?.gold ?? []).map((score) => ({
          key: `${score.rater} ${score.purpose}`,
          cells: [props.name(score.rater), score.purpose, score.episodes, percent(score.precision), percent(score.recall), percent(score.f1)],
        }))}
        empty="Nobody has marked a gold episode yet."
      />
    </Section>
  );
}
