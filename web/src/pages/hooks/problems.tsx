/** What is wrong with configuration files, with file, line and key. */

import type { HookProblem } from "../../api/setup";
import { Tag } from "../../parts/badge";
import { Source } from "../../parts/source";
import { Empty } from "../../parts/state";
import { Ticks } from "../../parts/ticks";

export function Problems({ problems }: { problems: readonly HookProblem[] }) {
  if (problems.length === 0)
    return (
      <Empty title="Every file was understood">
        When a configuration has a wrong key, event or pattern, it is listed here with its line.
      </Empty>
    );
  return (
    <ul class="problems">
      {problems.map((problem) => (
        <li key={`${problem.file}:${problem.line}:${problem.key}:${problem.message}`} class="problem">
          <Tag tone={problem.severity === "error" ? "deny" : "ask"}>{problem.severity}</Tag>
          <div>
            <p>
              <Ticks text={problem.message} />
            </p>
            <p class="problem-where">
              <Source file={problem.file} line={problem.line} whole />{" "}
              {problem.key && <code>{problem.key}</code>}
            </p>
          </div>
        </li>
      ))}
    </ul>
  );
}
