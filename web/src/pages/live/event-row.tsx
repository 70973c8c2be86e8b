/** One event on one line; on two lines on small screens. */
import { currentRoute, drawerClickHandler, withParams } from "../../lib/router";
import { basename } from "../../lib/text";
import { AgentBadge, VerdictBadge } from "../../parts/badge";
import { InlineCode } from "../../parts/inline-code";
import { Timestamp } from "../../parts/time";
import { EVENT_PARAM } from "./drawer";
import type { FeedRow } from "./feed";

const EVENT_SIGNS: Record<string, [sign: string, tone: string]> = {
  UserPromptSubmit: ["❯", "accent"],
  PreToolUse: ["▸", "none"],
  PostToolUse: ["✓", "allow"],
  PostToolUseFailure: ["✕", "deny"],
  PermissionRequest: ["?", "ask"],
  PermissionDenied: ["✕", "deny"],
  Stop: ["❮", "accent"],
  SessionStart: ["○", "none"],
  SessionEnd: ["●", "none"],
  SubagentStart: ["↳", "none"],
  SubagentStop: ["↲", "none"],
  Notification: ["!", "ask"],
};

export function EventRow({ row, small }: { row: FeedRow; small: boolean }) {
  const [sign, tone] = EVENT_SIGNS[row.kind] ?? ["·", "none"];
  const href = withParams(currentRoute.value, { [EVENT_PARAM]: String(row.seq) });
  const isStrict = row.verdict === "deny" || row.verdict === "halt";
  return (
    <a
      class={`event ${small ? "small" : ""} ${isStrict ? "strict" : ""}`}
      href={href}
      onClick={drawerClickHandler(EVENT_PARAM, String(row.seq))}
    >
      <span class="event-when quiet">
        <Timestamp at={row.at} />
      </span>
      <AgentBadge id={row.agent} compact />
      <span class="event-project quiet cut">{row.project ? basename(row.project) : ""}</span>
      <span class={`event-kind cut tone-${tone}`}>
        <i aria-hidden="true">{sign}</i> {row.kind}
      </span>
      <span class="event-about cut">
        {row.subagent && (
          <span class="quiet" title="Subagent">
            ↳{" "}
          </span>
        )}
        {row.tool && <b>{row.tool} </b>}
        {row.tool ? <span class="mono">{row.about}</span> : <InlineCode text={row.about} />}
        {row.note && (
          <span class={`event-note ${isStrict ? "tone-deny" : "tone-accent"}`}>
            {" "}
            <InlineCode text={row.note} />
          </span>
        )}
      </span>
      <span class="event-verdict">
        {row.verdict && row.verdict !== "none" && <VerdictBadge verdict={row.verdict} />}
      </span>
    </a>
  );
}
