/**
 * What agents wait for somebody to answer.
 *
 * Who asks for the list counts as somebody who can answer, and agents then wait. So it is asked for only while the page
 * is in sight.
 */
import { useEffect } from "preact/hooks";
import { api, data, words } from "../../api/client";
import { useLoad } from "../../api/load";
import type { Permission } from "../../api/types";
import { base } from "../../lib/text";
import { took } from "../../lib/time";
import { Agent } from "../../parts/badge";
import { now } from "../../parts/time";
import { toast } from "../../parts/toast";
import { ToolInput } from "../../parts/tool";

const EVERY_MS = 2500;

export function Permissions() {
  const waiting = useLoad("permissions", () => data(api.GET("/api/v1/permissions")));
  useEffect(() => {
    const timer = setInterval(() => !document.hidden && waiting.reload(), EVERY_MS);
    return () => clearInterval(timer);
  }, []);
  const decide = async (id: string, decision: "allow" | "deny") => {
    try {
      await data(api.POST("/api/v1/permissions/decide", { body: { id, decision } }));
      toast(decision === "allow" ? "Allowed" : "Denied", decision);
    } catch (error) {
      toast(words(error), "deny");
    }
    waiting.reload();
  };
  return (
    <div role="status">
      {waiting.data?.items.map((item) => (
        <Card key={item.id} item={item} decide={decide} />
      ))}
    </div>
  );
}

interface Shown {
  item: Permission;
  decide: (id: string, decision: "allow" | "deny") => void;
}

function Card({ item, decide }: Shown) {
  const left = Date.parse(item.expires) - now.value;
  return (
    <section class="permission" aria-label="An agent waits for your answer">
      <header>
        <Agent id={item.agent} />
        <h2>wants to use {item.tool}</h2>
        {item.project && <span>in {base(item.project)}</span>}
        {item.sessionId && <a href={`/sessions/${encodeURIComponent(item.sessionId)}`}>Session</a>}
        {left > 0 && <span class="permission-left">waits for another {took(left)}</span>}
      </header>
      <ToolInput tool={item.tool} input={item.args} />
      <div class="buttons">
        <button type="button" class="button primary" onClick={() => decide(item.id, "allow")}>
          Allow
        </button>
        <button type="button" class="button danger" onClick={() => decide(item.id, "deny")}>
          Deny
        </button>
      </div>
    </section>
  );
}
