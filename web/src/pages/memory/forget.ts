/** Forgets a memory for good, if the person is sure; whether it was forgotten. */
import { api, data } from "../../api/client";
import type { Memory } from "../../api/types";
import { line } from "../../lib/text";
import { confirm } from "../../parts/dialog";
import { tried } from "../../parts/do";

export async function forget(memory: Memory): Promise<boolean> {
  const isSure = await confirm({
    title: "Forget it for good?",
    body: `“${line(memory.text, 160)}” and every trace of it go. If it only stopped being true, resolve it instead.`,
    action: "Forget",
    danger: true,
  });
  if (!isSure) return false;
  return tried(
    () => data(api.DELETE("/api/v1/memories/{id}", { params: { path: { id: memory.id } } })),
    ({ traceless }) =>
      traceless
        ? "Forgotten, without a trace."
        : "Forgotten; the last trace goes when nobody reads the files.",
  );
}
