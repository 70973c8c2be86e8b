/**
 * What a page shows when it has nothing else to show.
 *
 *     <Empty title="No sessions yet" action={<code>becket init</code>}>Connect an agent, and it appears here.</Empty>
 *     <Failure error={loaded.error} retry={loaded.reload} />
 *     <Loading />
 */
import { Component, type ComponentChildren } from "preact";
import { CopyButton } from "./code";

export function Empty({
  title,
  children,
  action,
}: {
  title: string;
  children?: ComponentChildren;
  action?: ComponentChildren;
}) {
  return (
    <div class="empty">
      <svg viewBox="0 0 48 48" aria-hidden="true">
        <path d="M15 8v23a9 9 0 0 0 18 0v-3" />
        <circle cx="33" cy="18" r="3.6" />
      </svg>
      <h2>{title}</h2>
      {children && <p>{children}</p>}
      {action && <div class="empty-action">{action}</div>}
    </div>
  );
}

/** A command to type, with a button that copies it. */
export function Command({ children }: { children: string }) {
  return (
    <span class="command">
      <code>{children}</code>
      <CopyButton text={children} />
    </span>
  );
}

export function Loading({ what = "Loading" }: { what?: string }) {
  return (
    <output class="loading">
      <span class="sr">{what}…</span>
      <i />
      <i />
      <i />
    </output>
  );
}

export function Failure({ error, retry }: { error: string; retry?: () => void }) {
  return (
    <div class="failure" role="alert">
      <p>{error}</p>
      {retry && (
        <button type="button" class="button" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  );
}

/** Keeps a fault of one page from taking the rest along, and explains it. */
export class Boundary extends Component<{ children: ComponentChildren }, { fault?: Error }> {
  static override getDerivedStateFromError(fault: Error) {
    return { fault };
  }

  override render() {
    const { fault } = this.state;
    if (!fault) return this.props.children;
    return (
      <div class="failure" role="alert">
        <h2>This page stumbled</h2>
        <p>
          It is a fault of the dashboard, not of your agents: hooks decide and events are recorded as before.
          The message was:
        </p>
        <pre class="code">{fault.message}</pre>
        <button type="button" class="button" onClick={() => this.setState({ fault: undefined as never })}>
          Show the page again
        </button>
      </div>
    );
  }
}
