import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

/** Actions behind a button; closed by a choice, by Escape, and by a click elsewhere. */
export function Menu({ label, children }: { label: ComponentChildren; children: ComponentChildren }) {
  const menu = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    const close = (event: Event) => {
      const { current } = menu;
      if (current === null || !current.open || !isEnd(event, current)) return;
      current.open = false;
      // The focus was in the menu, which is hidden now; a dialog that was chosen gives it back to the button.
      if (event.type !== 'pointerdown') current.querySelector('summary')?.focus();
    };
    for (const type of closing) addEventListener(type, close);
    return () => {
      for (const type of closing) removeEventListener(type, close);
    };
  }, []);
  return (
    <details class="menu" ref={menu}>
      <summary>{label}</summary>
      <div class="sheet">{children}</div>
    </details>
  );
}

const closing = ['keydown', 'pointerdown', 'click'] as const;

function isEnd(event: Event, menu: HTMLElement): boolean {
  const target = event.target as Element;
  if (event instanceof KeyboardEvent) return event.key === 'Escape';
  if (event.type === 'pointerdown') return !menu.contains(target);
  return target.closest('.sheet button') !== null && menu.contains(target);
}
