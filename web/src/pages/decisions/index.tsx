import { Page } from "../../parts/page";
import { Loading } from "../../parts/state";

export function Decisions() {
  return (
    <Page title="Decisions">
      <Loading />
    </Page>
  );
}
