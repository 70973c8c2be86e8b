/** Deletes a memory after confirmation. Returns whether it was deleted. */
import { api, unwrap } from "../../api/client";
import type { Memory } from "../../api/types";
import { oneLine } from "../../lib/text";
import { confirm } from "../../parts/dialog";
import { runWithToast } from "../../parts/run-with-toast";

export async function confirmForget(memory: Memory): Promise<boolean> {
  const isSure = await confirm({
    title: "Forget this memory?",
    body: `“${oneLine(memory.text, 160)}” will be deleted permanently. If it is only outdated, resolve it instead.`,
    action: "Forget",
    danger: true,
  });
  if (!isSure) return false;
  return runWithToast(
    () => unwrap(api.DELETE("/api/v1/memories/{id}", { params: { path: { id: memory.id } } })),
    ({ traceless }) =>
      traceless
        ? "Memory deleted."
        : "Memory deleted. Traces stay in the database file until no process reads it.",
  );
}
