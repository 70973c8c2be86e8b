/** `<ToolInput tool="Edit" input={…} />`: a tool's input as a command, a diff, a to-do list, or JSON. */
import { asObject } from "../lib/object";
import { prettyJson } from "../lib/text";
import { parseTodos, type TodoItem } from "../lib/todos";
import { CodeBlock, DiffBlock } from "./code";

const asText = (value: unknown) => (typeof value === "string" ? value : undefined);

export function ToolInput({ tool, input }: { tool: string | null | undefined; input: unknown }) {
  const of = asObject(input);
  const before = asText(of.old_string) ?? asText(of.oldString) ?? asText(of.old_str);
  const after = asText(of.new_string) ?? asText(of.newString) ?? asText(of.new_str);
  const file = asText(of.file_path) ?? asText(of.filePath) ?? asText(of.path);
  if (before !== undefined && after !== undefined) {
    return (
      <div class="tool-input">
        {file && <code class="path">{file}</code>}
        <DiffBlock before={before} after={after} />
      </div>
    );
  }
  const todos = parseTodos(input);
  if (todos) return <TodoList todos={todos} />;
  const content = asText(of.content);
  if (tool === "Write" && content !== undefined) {
    return (
      <div class="tool-input">
        {file && <code class="path">{file}</code>}
        <DiffBlock before="" after={content} />
      </div>
    );
  }
  const patch =
    asText(of.patch) ?? (tool === "ApplyPatch" ? (asText(of.input) ?? asText(of.command)) : undefined);
  if (patch !== undefined) return <DiffBlock text={patch} />;
  const command = asText(of.command) ?? asText(input);
  if (command !== undefined && Object.keys(of).every((key) => key === "command" || key === "description"))
    return <CodeBlock text={command} />;
  return <CodeBlock text={prettyJson(input)} lang="json" />;
}

const TODO_SIGNS = {
  done: ["✓", "done"],
  in_progress: ["▸", "in progress"],
  pending: ["○", "to do"],
  cancelled: ["✕", "cancelled"],
} as const;

function TodoList({ todos }: { todos: readonly TodoItem[] }) {
  return (
    <ul class="todos">
      {todos.map(({ text, state }, i) => (
        <li key={i} class={`todo-${state}`}>
          <span aria-hidden="true">{TODO_SIGNS[state][0]}</span>
          <span>
            {text}
            <span class="sr"> ({TODO_SIGNS[state][1]})</span>
          </span>
        </li>
      ))}
    </ul>
  );
}
