import type { ComponentChildren } from 'preact';

/** Says why nothing is here, and what to do first. */
export function Empty({ title, text, children }: { title: string; text: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <h1>{title}</h1>
      <p>{text}</p>
      {children}
    </div>
  );
}
