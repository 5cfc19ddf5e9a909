import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { messages } from '../messages/messages.ts';
import { type ManyAct, ManyDialog } from './many-dialog.tsx';

interface Props {
  keys: readonly string[];
  acts: readonly ManyAct[];
  onDone: () => void;
  /** More that can be done. */
  children?: ComponentChildren;
}

/** What can be done to the rows that are chosen: nothing before their names were shown. */
export function Selection({ children, keys, acts, onDone }: Props) {
  const { list } = messages;
  const [act, setAct] = useState<ManyAct>();
  if (keys.length === 0) return null;
  return (
    <div class="selection">
      <p role="status">{list.chosen(keys.length)}</p>
      <p class="actions">
        {acts.map((each) => (
          <button type="button" key={each.label} onClick={() => setAct(each)}>
            {each.label}
          </button>
        ))}
        {children}
      </p>
      {act && (
        <ManyDialog
          keys={keys}
          act={act}
          onClose={(isDone) => {
            setAct(undefined);
            if (isDone) onDone();
          }}
        />
      )}
    </div>
  );
}
