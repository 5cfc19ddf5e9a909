import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { SignInBar } from './sign-in-bar.tsx';

interface Props {
  title: string;
  onClose: () => void;
  children: ComponentChildren;
}

/** A modal dialog, open as long as it is there. All else is out of reach meanwhile, so it has a bar of a sign-in of its own. */
export function Dialog({ title, onClose, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} aria-labelledby={id} onClose={onClose}>
      <h2 id={id}>{title}</h2>
      {children}
      <SignInBar />
    </dialog>
  );
}
