import { Page } from "../../parts/page";
import { Loading } from "../../parts/state";

export function Memory() {
  return (
    <Page title="Memory">
      <Loading />
    </Page>
  );
}
