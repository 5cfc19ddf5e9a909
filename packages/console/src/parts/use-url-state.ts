import { useMemo } from 'preact/hooks';
import { useLocation, useSearch } from 'wouter-preact';

export type UrlState = Readonly<Record<string, string>>;

/** Search, filters and cursor of a list, as the query of its URL has them; `set` takes another first page. */
export function useUrlState() {
  const search = useSearch();
  const [path, navigate] = useLocation();
  const state: UrlState = useMemo(() => Object.fromEntries(new URLSearchParams(search)), [search]);
  const write = (next: UrlState, options?: { replace?: boolean; state?: unknown }) => {
    const given = Object.entries(next).filter(([, value]) => value !== '');
    navigate(given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`, options);
  };
  return {
    state,
    set: (changes: UrlState, options?: { replace?: boolean }) => {
      const { cursor: _, ...rest } = state;
      write({ ...rest, ...changes }, options);
    },
    /** The cursors of the pages before stay with the entry of the history. */
    goTo: (cursor: string | undefined, before: readonly string[]) => {
      const { cursor: _, ...rest } = state;
      write(cursor === undefined ? rest : { ...rest, cursor }, { state: { before } });
    },
    /** Undefined where the page was reached by a link. */
    before: (history.state as { before?: string[] } | null)?.before,
  };
}
