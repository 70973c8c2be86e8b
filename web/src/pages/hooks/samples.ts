/** Inputs of tools to begin with, so that nobody has to remember their fields. */
export const SAMPLES: Record<string, Record<string, unknown>> = {
  Bash: { command: "git status" },
  Read: { file_path: "README.md" },
  Write: { file_path: "notes.md", content: "Hello\n" },
  Edit: { file_path: "notes.md", old_string: "Hello", new_string: "Goodbye" },
  Grep: { pattern: "TODO", path: "src" },
  Glob: { pattern: "**/*.rs" },
  WebFetch: { url: "https://example.com/", prompt: "What is it about?" },
};

export const isAboutTool = (event: string) => /ToolUse|Permission/.test(event);
