/** Problems in configuration files, with file, line and key. */

import type { HookProblem } from "../../api/setup";
import { Tag } from "../../parts/badge";
import { InlineCode } from "../../parts/inline-code";
import { EmptyState } from "../../parts/page-states";
import { SourceLocation } from "../../parts/source-location";

export function ConfigProblems({ problems }: { problems: readonly HookProblem[] }) {
  if (problems.length === 0)
    return (
      <EmptyState title="No problems found">
        Wrong keys, events and patterns in configuration files are listed here with file and line.
      </EmptyState>
    );
  return (
    <ul class="problems">
      {problems.map((problem) => (
        <li key={`${problem.file}:${problem.line}:${problem.key}:${problem.message}`} class="problem">
          <Tag tone={problem.severity === "error" ? "deny" : "ask"}>{problem.severity}</Tag>
          <div>
            <p>
              <InlineCode text={problem.message} />
            </p>
            <p class="problem-where">
              <SourceLocation file={problem.file} line={problem.line} full />{" "}
              {problem.key && <code>{problem.key}</code>}
            </p>
          </div>
        </li>
      ))}
    </ul>
  );
}
