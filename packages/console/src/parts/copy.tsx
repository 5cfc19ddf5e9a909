import { useState } from 'preact/hooks';
import { messages } from '../messages/messages.ts';

export function Copy({ text, label = messages.copy }: { text: string; label?: string }) {
  const [said, setSaid] = useState('');
  const copy = async () => {
    await navigator.clipboard.writeText(text).then(
      () => setSaid(messages.copied),
      () => setSaid(messages.notCopied),
    );
  };
  return (
    <span class="copy">
      <button type="button" class="small" onClick={copy}>
        {label}
      </button>
      <span class="quiet" role="status">
        {said}
      </span>
    </span>
  );
}

/** A text as it is, and a button that copies it. */
export function CopiedCode({ text }: { text: string }) {
  return (
    <>
      <code class="text">{text}</code> <Copy text={text} />
    </>
  );
}
