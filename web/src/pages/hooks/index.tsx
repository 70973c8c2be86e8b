import { Page } from "../../parts/page";
import { Loading } from "../../parts/state";

export function Hooks() {
  return (
    <Page title="Hooks">
      <Loading />
    </Page>
  );
}
