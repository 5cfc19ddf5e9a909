import { useState } from 'preact/hooks';
import { messages } from '../messages/messages.ts';
import { Copy } from './copy.tsx';

/** A secret that is shown this once: hidden until "Show", and gone with the screen. */
export function Secret({ label, value }: { label: string; value: string }) {
  const [isShown, setShown] = useState(false);
  return (
    <div class="secret">
      <p class="label">{label}</p>
      <code>{isShown ? value : '•'.repeat(24)}</code>
      <p class="actions">
        <button type="button" class="small" aria-pressed={isShown} onClick={() => setShown(!isShown)}>
          {isShown ? messages.hide : messages.show}
        </button>
        <Copy text={value} />
      </p>
      <p class="quiet">{messages.shownOnce}</p>
    </div>
  );
}
