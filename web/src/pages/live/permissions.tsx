/**
 * Permission requests that wait for the user's decision.
 *
 * Polling this list tells the daemon that a user can answer, and agents then wait. So the page polls only while it is
 * visible.
 */
import { useEffect } from "preact/hooks";
import { api, errorMessage, unwrap } from "../../api/client";
import { useLoad } from "../../api/load";
import type { PermissionRequest } from "../../api/types";
import { formatDuration } from "../../lib/format";
import { basename } from "../../lib/text";
import { AgentBadge } from "../../parts/badge";
import { now } from "../../parts/time";
import { toast } from "../../parts/toast";
import { ToolInput } from "../../parts/tool-input";

const POLL_MS = 2500;

export function PendingPermissions() {
  const waiting = useLoad("permissions", () => unwrap(api.GET("/api/v1/permissions")));
  useEffect(() => {
    const timer = setInterval(() => !document.hidden && waiting.reload(), POLL_MS);
    return () => clearInterval(timer);
  }, []);
  const decide = async (id: string, decision: "allow" | "deny") => {
    try {
      await unwrap(api.POST("/api/v1/permissions/decide", { body: { id, decision } }));
      toast(decision === "allow" ? "Allowed" : "Denied", decision);
    } catch (error) {
      toast(errorMessage(error), "deny");
    }
    waiting.reload();
  };
  return (
    <div role="status">
      {waiting.data?.items.map((item) => (
        <PermissionCard key={item.id} item={item} decide={decide} />
      ))}
    </div>
  );
}

interface PermissionCardProps {
  item: PermissionRequest;
  decide: (id: string, decision: "allow" | "deny") => void;
}

function PermissionCard({ item, decide }: PermissionCardProps) {
  const left = Date.parse(item.expires) - now.value;
  return (
    <section class="permission" aria-label="Permission request">
      <header>
        <AgentBadge id={item.agent} />
        <h2>wants to use {item.tool}</h2>
        {item.project && <span>in {basename(item.project)}</span>}
        {item.sessionId && <a href={`/sessions/${encodeURIComponent(item.sessionId)}`}>Session</a>}
        {left > 0 && <span class="permission-left">expires in {formatDuration(left)}</span>}
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
