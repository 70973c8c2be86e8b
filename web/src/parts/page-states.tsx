/**
 * Empty, loading and error states of a page.
 *
 *     <EmptyState title="No sessions yet" action={<code>becket up</code>}>Connect an agent…</EmptyState>
 *     <ErrorMessage error={loaded.error} retry={loaded.reload} />
 *     <Loading />
 */
import { Component, type ComponentChildren } from "preact";
import { CopyButton } from "./code";

export function EmptyState({
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

/** A command with a copy button. */
export function CopyableCommand({ children }: { children: string }) {
  return (
    <span class="command">
      <code>{children}</code>
      <CopyButton text={children} />
    </span>
  );
}

export function Loading({ label = "Loading" }: { label?: string }) {
  return (
    <output class="loading">
      <span class="sr">{label}…</span>
      <i />
      <i />
      <i />
    </output>
  );
}

export function ErrorMessage({ error, retry }: { error: string; retry?: () => void }) {
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

/** Catches rendering errors of one page, so that the rest of the dashboard keeps working. */
export class ErrorBoundary extends Component<{ children: ComponentChildren }, { error?: Error }> {
  static override getDerivedStateFromError(error: Error) {
    return { error };
  }

  override render() {
    const { error } = this.state;
    if (!error) return this.props.children;
    return (
      <div class="failure" role="alert">
        <h2>This page failed</h2>
        <p>This is an error in the dashboard. Hooks and recording are not affected. The error was:</p>
        <pre class="code">{error.message}</pre>
        <button type="button" class="button" onClick={() => this.setState({ error: undefined as never })}>
          Reload the page
        </button>
      </div>
    );
  }
}
