/**
 * Dialogs and drawers.
 *
 *     <Dialog title="Keyboard shortcuts" onClose={close}>…</Dialog>
 *     if (await confirm({ title: "Forget this memory?", body: "…", action: "Forget", danger: true })) …
 *     <Drawer title="Event" onClose={close}>…</Drawer>      next to the list on wide screens, modal on small ones
 */
import { signal } from "@preact/signals";
import type { ComponentChildren, RefObject } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { useKeys } from "../lib/keys";
import { isNarrow } from "../lib/screen";

interface DialogProps {
  title: string;
  onClose: () => void;
  children: ComponentChildren;
  /** Buttons at the bottom. */
  footer?: ComponentChildren;
  wide?: boolean;
}

export function Dialog({ title, onClose, children, footer, wide = false }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    element.current?.showModal();
    // Focus the first field, so that the user can type at once.
    element.current?.querySelector<HTMLElement>(".dialog-content :is(input, textarea, select)")?.focus();
  }, []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the browser closes a dialog with Escape
    <dialog
      ref={element}
      class={wide ? "dialog wide" : "dialog"}
      aria-labelledby={id}
      onClose={onClose}
      onClick={(click) => click.target === element.current && onClose()}
    >
      <div class="dialog-body">
        <header>
          <h2 id={id}>{title}</h2>
          <button type="button" class="close" aria-label="Close" onClick={onClose}>
            ✕
          </button>
        </header>
        <div class="dialog-content">{children}</div>
        {footer && <footer>{footer}</footer>}
      </div>
    </dialog>
  );
}

interface ConfirmOptions {
  title: string;
  body: ComponentChildren;
  /** The label of the confirming button. */
  action: string;
  danger?: boolean;
}

const pendingConfirm = signal<(ConfirmOptions & { answer: (yes: boolean) => void }) | undefined>(undefined);

/** Asks the user to confirm. Resolves to `true` if they agree. */
export function confirm(question: ConfirmOptions): Promise<boolean> {
  return new Promise((resolve) => {
    pendingConfirm.value?.answer(false);
    pendingConfirm.value = {
      ...question,
      answer: (yes) => {
        pendingConfirm.value = undefined;
        resolve(yes);
      },
    };
  });
}

/** Renders the dialog of `confirm`. The shell mounts it once. */
export function ConfirmDialog() {
  const question = pendingConfirm.value;
  if (!question) return null;
  return (
    <Dialog
      title={question.title}
      onClose={() => question.answer(false)}
      footer={
        <>
          <button type="button" class="button" onClick={() => question.answer(false)}>
            Cancel
          </button>
          <button
            type="button"
            class={question.danger ? "button danger" : "button primary"}
            onClick={() => question.answer(true)}
          >
            {question.action}
          </button>
        </>
      }
    >
      {question.body}
    </Dialog>
  );
}

interface DrawerProps extends Omit<DialogProps, "wide" | "title"> {
  title: ComponentChildren;
}

/** A side panel on wide screens. On small screens it is modal, because it covers the page. */
export function Drawer(props: DrawerProps) {
  return isNarrow.value ? <ModalDrawer {...props} /> : <SideDrawer {...props} />;
}

function SideDrawer(props: DrawerProps) {
  const close = useRef<HTMLButtonElement>(null);
  const id = useId();
  useKeys([["Escape", "close", props.onClose]]);
  useRestoredFocus(() => close.current?.focus({ preventScroll: true }));
  return (
    <aside class="drawer" aria-labelledby={id}>
      <DrawerBody {...props} id={id} close={close} />
    </aside>
  );
}

function ModalDrawer(props: DrawerProps) {
  const element = useRef<HTMLDialogElement>(null);
  const close = useRef<HTMLButtonElement>(null);
  const id = useId();
  useRestoredFocus(() => element.current?.showModal());
  return (
    <dialog
      ref={element}
      class="drawer"
      aria-labelledby={id}
      onCancel={(cancel) => {
        // The query parameter closes the drawer, not the browser.
        cancel.preventDefault();
        props.onClose();
      }}
    >
      <DrawerBody {...props} id={id} close={close} />
    </dialog>
  );
}

/** Moves the focus, and restores it on unmount. */
function useRestoredFocus(focus: () => void): void {
  useEffect(() => {
    const before = document.activeElement;
    focus();
    return () => before instanceof HTMLElement && before.isConnected && before.focus({ preventScroll: true });
  }, []);
}

function DrawerBody({
  title,
  onClose,
  children,
  footer,
  id,
  close,
}: DrawerProps & { id: string; close: RefObject<HTMLButtonElement | null> }) {
  return (
    <>
      <header>
        <h2 id={id}>{title}</h2>
        <button ref={close} type="button" class="close" aria-label="Close" onClick={onClose}>
          ✕
        </button>
      </header>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be reachable by keyboard */}
      <div class="drawer-content" tabIndex={0}>
        {children}
      </div>
      {footer && <footer>{footer}</footer>}
    </>
  );
}
