import { Page } from "../../parts/page";
import { Loading } from "../../parts/state";

export function Insight() {
  return (
    <Page title="Insight">
      <Loading />
    </Page>
  );
}
