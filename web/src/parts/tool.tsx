/** `<ToolInput tool="Edit" input={…} />`: what a tool was called with, as a command, a diff, a list of steps, or JSON. */
import { bag } from "../lib/bag";
import { pretty } from "../lib/text";
import { type Todo, todosOf } from "../lib/todos";
import { Code, Diff } from "./code";

const text = (value: unknown) => (typeof value === "string" ? value : undefined);

export function ToolInput({ tool, input }: { tool: string | null | undefined; input: unknown }) {
  const of = bag(input);
  const before = text(of.old_string) ?? text(of.oldString) ?? text(of.old_str);
  const after = text(of.new_string) ?? text(of.newString) ?? text(of.new_str);
  const file = text(of.file_path) ?? text(of.filePath) ?? text(of.path);
  if (before !== undefined && after !== undefined) {
    return (
      <div class="tool-input">
        {file && <code class="path">{file}</code>}
        <Diff before={before} after={after} />
      </div>
    );
  }
  const todos = todosOf(input);
  if (todos) return <Todos todos={todos} />;
  const content = text(of.content);
  if (tool === "Write" && content !== undefined) {
    return (
      <div class="tool-input">
        {file && <code class="path">{file}</code>}
        <Diff before="" after={content} />
      </div>
    );
  }
  const patch = text(of.patch) ?? (tool === "ApplyPatch" ? (text(of.input) ?? text(of.command)) : undefined);
  if (patch !== undefined) return <Diff text={patch} />;
  const command = text(of.command) ?? text(input);
  if (command !== undefined && Object.keys(of).every((key) => key === "command" || key === "description"))
    return <Code text={command} />;
  return <Code text={pretty(input)} lang="json" />;
}

const SIGNS = {
  done: ["✓", "done"],
  doing: ["▸", "being done"],
  open: ["○", "to do"],
  dropped: ["✕", "dropped"],
} as const;

function Todos({ todos }: { todos: readonly Todo[] }) {
  return (
    <ul class="todos">
      {todos.map(({ text, state }, i) => (
        <li key={i} class={`todo-${state}`}>
          <span aria-hidden="true">{SIGNS[state][0]}</span>
          <span>
            {text}
            <span class="sr"> ({SIGNS[state][1]})</span>
          </span>
        </li>
      ))}
    </ul>
  );
}
