/** Sample inputs for common tools. */
export const SAMPLE_INPUTS: Record<string, Record<string, unknown>> = {
  Bash: { command: "git status" },
  Read: { file_path: "README.md" },
  Write: { file_path: "notes.md", content: "Hello\n" },
  Edit: { file_path: "notes.md", old_string: "Hello", new_string: "Goodbye" },
  Grep: { pattern: "TODO", path: "src" },
  Glob: { pattern: "**/*.rs" },
  WebFetch: { url: "https://example.com/", prompt: "What is it about?" },
};

export const isToolEvent = (event: string) => /ToolUse|Permission/.test(event);
