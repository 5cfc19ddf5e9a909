import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { messages } from '../messages/messages.ts';
import { type ManyAct, ManyDialog } from './many-dialog.tsx';

interface Props {
  /** The keys of rows that were chosen. Those that are not on the page any more do not count. */
  chosen: readonly string[];
  /** Those of the page. */
  all: readonly string[];
  choose: (keys: readonly string[]) => void;
  acts: readonly ManyAct[];
  /** More that can be done. */
  children?: ComponentChildren;
}

/** What can be done to the rows that are chosen: nothing before their names were shown. */
export function Selection({ children, chosen, all, choose, acts }: Props) {
  const { list } = messages;
  // Rows that an act deletes leave the page before its results were seen.
  const [open, setOpen] = useState<{ act: ManyAct; keys: readonly string[] }>();
  const keys = chosen.filter((key) => all.includes(key));
  if (keys.length === 0 && open === undefined) return null;
  return (
    <div class="selection">
      <p role="status">{list.chosen(keys.length)}</p>
      <p class="actions">
        {keys.length < all.length && (
          <button type="button" onClick={() => choose(all)}>
            {list.chooseAll}
          </button>
        )}
        {acts.map((each) => (
          <button type="button" key={each.label} onClick={() => setOpen({ act: each, keys })}>
            {each.label}
          </button>
        ))}
        {children}
      </p>
      {open && (
        <ManyDialog
          {...open}
          onClose={(isDone) => {
            setOpen(undefined);
            if (isDone) choose([]);
          }}
        />
      )}
    </div>
  );
}
