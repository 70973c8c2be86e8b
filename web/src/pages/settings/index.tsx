import { Page } from "../../parts/page";
import { Loading } from "../../parts/state";

export function Settings() {
  return (
    <Page title="Settings">
      <Loading />
    </Page>
  );
}
