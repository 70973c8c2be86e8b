/**
 * Dialogs and drawers.
 *
 *     <Dialog title="Keys" onClose={close}>…</Dialog>
 *     if (await confirm({ title: "Forget it?", body: "Every trace goes.", action: "Forget", danger: true })) …
 *     <Drawer title="Event" onClose={close}>…</Drawer>      beside the list on wide screens, over it on small ones
 */
import { signal } from "@preact/signals";
import type { ComponentChildren, RefObject } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { useKeys } from "../lib/keys";
import { narrow } from "../lib/screen";

interface Shown {
  title: string;
  onClose: () => void;
  children: ComponentChildren;
  /** Buttons at the foot. */
  foot?: ComponentChildren;
  wide?: boolean;
}

export function Dialog({ title, onClose, children, foot, wide = false }: Shown) {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    element.current?.showModal();
    // Who opens a dialog with a field wants to type.
    element.current?.querySelector<HTMLElement>(".dialog-content :is(input, textarea, select)")?.focus();
  }, []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the browser closes a dialog with Escape by itself
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
        {foot && <footer>{foot}</footer>}
      </div>
    </dialog>
  );
}

interface Question {
  title: string;
  body: ComponentChildren;
  /** What the button says that does it. */
  action: string;
  danger?: boolean;
}

const open = signal<(Question & { answer: (yes: boolean) => void }) | undefined>(undefined);

/** Asks the person, and tells whether they agreed. */
export function confirm(question: Question): Promise<boolean> {
  return new Promise((resolve) => {
    open.value?.answer(false);
    open.value = {
      ...question,
      answer: (yes) => {
        open.value = undefined;
        resolve(yes);
      },
    };
  });
}

/** Shows what `confirm` asks; the shell has one. */
export function Confirm() {
  const asked = open.value;
  if (!asked) return null;
  return (
    <Dialog
      title={asked.title}
      onClose={() => asked.answer(false)}
      foot={
        <>
          <button type="button" class="button" onClick={() => asked.answer(false)}>
            Cancel
          </button>
          <button
            type="button"
            class={asked.danger ? "button danger" : "button primary"}
            onClick={() => asked.answer(true)}
          >
            {asked.action}
          </button>
        </>
      }
    >
      {asked.body}
    </Dialog>
  );
}

interface DrawerShown extends Omit<Shown, "wide" | "title"> {
  title: ComponentChildren;
}

/** Beside the list where there is room; where it hides everything else, nothing else can be reached, either. */
export function Drawer(props: DrawerShown) {
  return narrow.value ? <OverAll {...props} /> : <Beside {...props} />;
}

function Beside(props: DrawerShown) {
  const close = useRef<HTMLButtonElement>(null);
  const id = useId();
  useKeys([["Escape", "close", props.onClose]]);
  useFocusBack(() => close.current?.focus({ preventScroll: true }));
  return (
    <aside class="drawer" aria-labelledby={id}>
      <DrawerBody {...props} id={id} close={close} />
    </aside>
  );
}

function OverAll(props: DrawerShown) {
  const element = useRef<HTMLDialogElement>(null);
  const close = useRef<HTMLButtonElement>(null);
  const id = useId();
  useFocusBack(() => element.current?.showModal());
  return (
    <dialog
      ref={element}
      class="drawer"
      aria-labelledby={id}
      onCancel={(cancel) => {
        // It goes when the address says so.
        cancel.preventDefault();
        props.onClose();
      }}
    >
      <DrawerBody {...props} id={id} close={close} />
    </dialog>
  );
}

/** Puts the focus somewhere, and back where it was at the end. */
function useFocusBack(focus: () => void): void {
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
  foot,
  id,
  close,
}: DrawerShown & { id: string; close: RefObject<HTMLButtonElement | null> }) {
  return (
    <>
      <header>
        <h2 id={id}>{title}</h2>
        <button ref={close} type="button" class="close" aria-label="Close" onClick={onClose}>
          ✕
        </button>
      </header>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard */}
      <div class="drawer-content" tabIndex={0}>
        {children}
      </div>
      {foot && <footer>{foot}</footer>}
    </>
  );
}
