/** Labels for the outcome of a decision. */
import type { Tone } from "../parts/badge";

export function outcomeLabel(verdict: string, outcome: string): [words: string, tone: Tone] {
  const isStrict = verdict === "deny" || verdict === "halt";
  switch (outcome) {
    case "ran":
      if (isStrict) return ["ran anyway", "halt"];
      return verdict === "ask" ? ["allowed, ran", "allow"] : ["ran", "allow"];
    case "failed":
      if (isStrict) return ["ran anyway, failed", "halt"];
      return ["failed", "ask"];
    case "refused":
      return isStrict ? ["blocked", "none"] : ["rejected", "none"];
    default:
      return isStrict ? ["blocked", "none"] : ["pending", "none"];
  }
}
