import { Page } from "../../parts/page";

export function SessionPage({ id }: { id: string }) {
  return <Page title={id}>{null}</Page>;
}
