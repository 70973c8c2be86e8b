/** One event in one line; in two where there is little room. */
import { opensDrawer, place, withParams } from "../../lib/router";
import { base } from "../../lib/text";
import { Agent, Verdict } from "../../parts/badge";
import { Ticks } from "../../parts/ticks";
import { Moment } from "../../parts/time";
import { AT } from "./drawer";
import type { Row } from "./feed";

const SIGNS: Record<string, [sign: string, tone: string]> = {
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

export function EventRow({ row, small }: { row: Row; small: boolean }) {
  const [sign, tone] = SIGNS[row.kind] ?? ["·", "none"];
  const href = withParams(place.value, { [AT]: String(row.seq) });
  const isStrict = row.verdict === "deny" || row.verdict === "halt";
  return (
    <a
      class={`event ${small ? "small" : ""} ${isStrict ? "strict" : ""}`}
      href={href}
      onClick={opensDrawer(AT, String(row.seq))}
    >
      <span class="event-when quiet">
        <Moment at={row.at} />
      </span>
      <Agent id={row.agent} mark />
      <span class="event-project quiet cut">{row.project ? base(row.project) : ""}</span>
      <span class={`event-kind cut tone-${tone}`}>
        <i aria-hidden="true">{sign}</i> {row.kind}
      </span>
      <span class="event-about cut">
        {row.subagent && (
          <span class="quiet" title="A subagent">
            ↳{" "}
          </span>
        )}
        {row.tool && <b>{row.tool} </b>}
        {row.tool ? <span class="mono">{row.about}</span> : <Ticks text={row.about} />}
        {row.note && (
          <span class={`event-note ${isStrict ? "tone-deny" : "tone-accent"}`}>
            {" "}
            <Ticks text={row.note} />
          </span>
        )}
      </span>
      <span class="event-verdict">
        {row.verdict && row.verdict !== "none" && <Verdict is={row.verdict} />}
      </span>
    </a>
  );
}
