/** The dialog that allows a blocked tool call in future. It shows the change of the user's configuration first. */
import { type RulePlan, setup } from "../../api/setup";
import { type ChangePlan, PlanDialog } from "../../parts/plan-dialog";

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
    <PlanDialog<ChangePlan & { rule: string }>
      title="Allow this in future"
      action="Save"
      plan={async () => toChangePlan(await setup.planRule(id))}
      apply={(plan) => setup.applyRule(id, plan)}
      intro={({ rule }) => (
        <>
          <p>Allow exactly this from now on. Becket will add this to your config:</p>
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

function toChangePlan({ file, rule, diff, plan }: RulePlan): ChangePlan & { rule: string } {
  return { files: [{ path: file, diff }], rule, plan };
}
