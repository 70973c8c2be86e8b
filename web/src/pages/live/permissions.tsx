/** What agents wait for somebody to answer. Daemons that know nothing of it answer 404, and the card is not there. */
import { useEffect } from "preact/hooks";
import { ask, words } from "../../api/client";
import { useLoad } from "../../api/load";
import type { Permission } from "../../api/types";
import { ofInput } from "../../lib/subject";
import { pretty } from "../../lib/text";
import { Agent } from "../../parts/badge";
import { Code } from "../../parts/code";
import { Ago } from "../../parts/time";
import { toast } from "../../parts/toast";

const EVERY_MS = 3000;

export function Permissions() {
  const waiting = useLoad("permissions", () => ask<{ items: Permission[] }>("GET", "/api/v1/permissions"));
  const isThere = waiting.status !== 404;
  useEffect(() => {
    if (!isThere) return;
    const timer = setInterval(() => !document.hidden && waiting.reload(), EVERY_MS);
    return () => clearInterval(timer);
  }, [isThere]);
  const decide = async (id: string, decision: "allow" | "deny") => {
    try {
      await ask("POST", "/api/v1/permissions/decide", { body: { id, decision } });
      toast(decision === "allow" ? "Allowed" : "Denied", decision);
    } catch (error) {
      toast(words(error), "deny");
    }
    waiting.reload();
  };
  return (
    <>
      {waiting.data?.items.map((item) => (
        <section key={item.id} class="permission" aria-label="An agent waits for an answer">
          <header>
            {item.agent && <Agent id={item.agent} />}
            <h2>asks for {item.tool ?? "permission"}</h2>
            {item.at && <Ago at={item.at} />}
          </header>
          {item.reason && <p>{item.reason}</p>}
          <Code text={ofInput(item.input) || pretty(item.input ?? "")} />
          <div class="buttons">
            <button type="button" class="button primary" onClick={() => decide(item.id, "allow")}>
              Allow
            </button>
            <button type="button" class="button danger" onClick={() => decide(item.id, "deny")}>
              Deny
            </button>
          </div>
        </section>
      ))}
    </>
  );
}
