import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { messages } from '../messages/messages.ts';
import type { Choices } from './choice-box.tsx';
import { type ManyAct, ManyDialog } from './many-dialog.tsx';

/** Rows that were chosen and are not on the page any more do not count. */
interface Props extends Choices {
  /** The keys of the page. */
  all: readonly string[];
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
