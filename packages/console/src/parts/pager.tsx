import { messages } from '../messages/messages.ts';
import type { useUrlState } from './use-url-state.ts';

interface Props {
  url: ReturnType<typeof useUrlState>;
  next: string | undefined;
  total: number | undefined;
  isExact: boolean;
  shown: number;
}

/** Two buttons, and how many there are. */
export function Pager({ url, next, total, isExact, shown }: Props) {
  const { list } = messages;
  const { cursor } = url.state;
  const before = url.before ?? [];
  const goBack = () => url.goTo(before.at(-1) || undefined, before.slice(0, -1));
  return (
    <nav class="pager" aria-label={list.pages}>
      <p class="quiet" role="status">
        {total === undefined ? list.shown(shown) : list.total(total, isExact)}
      </p>
      {(cursor !== undefined || next !== undefined) && (
        <p>
          <button type="button" disabled={cursor === undefined} onClick={goBack}>
            {before.length > 0 || cursor === undefined ? list.previous : list.first}
          </button>
          <button type="button" disabled={next === undefined} onClick={() => url.goTo(next, [...before, cursor ?? ''])}>
            {list.next}
          </button>
        </p>
      )}
    </nav>
  );
}
