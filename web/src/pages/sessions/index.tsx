import { Page } from "../../parts/page";
import { Loading } from "../../parts/state";

export function Sessions() {
  return (
    <Page title="Sessions">
      <Loading />
    </Page>
  );
}
