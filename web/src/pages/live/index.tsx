import { Page } from "../../parts/page";
import { Loading } from "../../parts/state";

export function Live() {
  return (
    <Page title="Live">
      <Loading />
    </Page>
  );
}
