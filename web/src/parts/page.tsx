/** `<Page title="Hooks" lead="What runs when" tools={<Filters …/>}>…</Page>`: the head and the body of a page. */
import type { ComponentChildren } from "preact";
import { Corner } from "../shell/corner";

export function Page({
  title,
  lead,
  tools,
  children,
}: {
  title: ComponentChildren;
  /** A few words beside the title. */
  lead?: ComponentChildren;
  /** Filters and buttons; they stay in sight when the page scrolls. */
  tools?: ComponentChildren;
  children: ComponentChildren;
}) {
  return (
    <>
      <header class="page-head">
        <div class="page-title">
          <h1>{title}</h1>
          {lead && <div class="lead">{lead}</div>}
        </div>
        <Corner />
        {tools && <div class="page-tools">{tools}</div>}
      </header>
      <div class="page-body">{children}</div>
    </>
  );
}

/** A titled part of a page: `<Panel title="Trust">…</Panel>`. */
export function Panel({
  title,
  note,
  children,
  wide = false,
}: {
  title: string;
  note?: ComponentChildren;
  children: ComponentChildren;
  wide?: boolean;
}) {
  return (
    <section class={wide ? "panel wide" : "panel"}>
      <header>
        <h2>{title}</h2>
        {note && <div class="quiet">{note}</div>}
      </header>
      {children}
    </section>
  );
}
