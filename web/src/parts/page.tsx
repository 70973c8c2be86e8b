/** `<PageLayout title="Hooks" lead="5 hooks" tools={<Filters …/>}>…</PageLayout>`: header and body of a page. */
import type { ComponentChildren } from "preact";
import { QuickActions } from "../shell/quick-actions";

export function PageLayout({
  title,
  lead,
  tools,
  children,
}: {
  title: ComponentChildren;
  /** A short text next to the title. */
  lead?: ComponentChildren;
  /** Filters and buttons. They stay visible when the page scrolls. */
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
        <QuickActions />
        {tools && <div class="page-tools">{tools}</div>}
      </header>
      <div class="page-body">{children}</div>
    </>
  );
}

/** A titled section of a page: `<Panel title="Trust">…</Panel>`. */
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
