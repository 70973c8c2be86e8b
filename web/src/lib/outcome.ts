/** What came of a decision, in words. */
import type { Tone } from "../parts/badge";

export function outcome(verdict: string, outcome: string): [words: string, tone: Tone] {
  const isStrict = verdict === "deny" || verdict === "halt";
  switch (outcome) {
    case "ran":
      if (isStrict) return ["ran all the same", "halt"];
      return verdict === "ask" ? ["allowed, and ran", "allow"] : ["ran", "allow"];
    case "failed":
      if (isStrict) return ["was tried all the same", "halt"];
      return ["ran and failed", "ask"];
    case "refused":
      return isStrict ? ["held back", "none"] : ["refused", "none"];
    default:
      return isStrict ? ["not heard of since", "none"] : ["open", "none"];
  }
}
