// The rater's page.
import { useState } from "preact/hooks";
import { Bench } from "./marking/bench";
import { Feedback } from "./marking/feedback";
import { loadWork } from "./saving/work";
import { MARKS } from "./marking/load";
import { Workplace } from "./workplace";

export function Mark() {
  const [practised, setPractised] = useState(""); // the episode for practice that has just been submitted
  return (
    <Workplace
      title="Mark episodes"
      load={(person) => loadWork(person, "/api/marking", MARKS)}
      bench={(person, work, onNext) => {
        const { id, training } = work.episode;
        if (id === practised) return <Feedback person={person} work={work} onNext={onNext} />;
        return <Bench key={id} person={person} work={work} onNext={training ? () => setPractised(id) : onNext} />;
      }}
      done="There is no episode for you to mark just now."
    />
  );
}
