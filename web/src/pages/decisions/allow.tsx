/** Lets a call pass in future: shows what that writes to the person's own configuration, and writes it. */
import { type RulePlan, setup } from "../../api/setup";
import { type Plan, PlanDialog } from "../../parts/plan";

export function AllowDialog({
  id,
  onClose,
  onDone,
}: {
  id: string;
  onClose: () => void;
  onDone: () => void;
}) {
  return (
    <PlanDialog<Plan & { rule: string }>
      title="Allow this in future"
      action="Write it"
      plan={async () => asPlan(await setup.planRule(id))}
      apply={(plan) => setup.applyRule(id, plan)}
      intro={({ rule }) => (
        <>
          <p>From then on the guard lets this pass, and nothing like it. This is what it is told:</p>
          <p>
            <code class="rule-text">{rule}</code>
          </p>
        </>
      )}
      onDone={onDone}
      onClose={onClose}
    />
  );
}

function asPlan({ file, rule, diff, plan }: RulePlan): Plan & { rule: string } {
  return { files: [{ path: file, diff }], rule, plan };
}
