import type { ComponentChildren } from 'preact';
import { Link } from 'wouter-preact';
import type { ApiRequest } from '../api/request.ts';
import { messages } from '../messages/messages.ts';
import { Command } from './command.tsx';
import { Fault } from './fault.tsx';
import { Pager } from './pager.tsx';
import { searchOn } from './search-on.ts';
import { useTitle } from './title.ts';
import { useAnswer } from './use-api.ts';
import { useUrlState } from './use-url-state.ts';

/** A page of a list, as either service names what goes with it. */
interface Page {
  next_cursor?: string;
  nextCursor?: string;
  total?: number;
  total_is_exact?: boolean;
  totalIsExact?: boolean;
}

/** What stands below a column. */
interface Cell {
  content: ComponentChildren;
  /** Whether it is a text of others, which may be long. */
  isText?: boolean;
}

interface Props<Of extends Page, Item> {
  /** The path of the list. */
  place: string;
  /** The columns in their order; the first one is the name of the item. */
  texts: { title: string; text?: string; make: string; none: string; columns: Readonly<Record<string, string>> };
  mayMake?: boolean;
  list: (query: { limit: number; total: 'true' }) => ApiRequest<Of>;
  items: (page: Of) => readonly Item[];
  /** The path of an item below the list, its name, a mark at it, and the cells of the columns after it. */
  row: (item: Item) => { path: string; name: string; mark?: string | undefined; cells: readonly Cell[] };
  filters?: (url: ReturnType<typeof useUrlState>) => ComponentChildren;
}

/** The list of what is registered of a kind, a page at a time, and the way to another one. */
export function ObjectList<Of extends Page, Item>(props: Props<Of, Item>) {
  const { place, texts, mayMake = true, list, items, row, filters } = props;
  useTitle(texts.title);
  const url = useUrlState();
  const request = list({ ...(url.state as object), limit: 50, total: 'true' });
  const answer = useAnswer(request, { load: searchOn(items) });
  const page = answer.data?.body;
  const rows = page === undefined ? [] : items(page).map(row);
  const [, ...columns] = Object.values(texts.columns);
  return (
    <>
      <div class="head">
        <h1>{texts.title}</h1>
        {mayMake && (
          <Link href={`${place}/new`} class="button primary">
            {texts.make}
          </Link>
        )}
      </div>
      {texts.text !== undefined && <p class="quiet">{texts.text}</p>}
      {filters?.(url)}
      <Fault error={answer.error} />
      {answer.isSuccess && rows.length === 0 && (
        <p class="nothing">{(page?.next_cursor ?? page?.nextCursor) ? messages.list.searchFurther : texts.none}</p>
      )}
      {rows.length > 0 && (
        <table class="list" aria-busy={answer.isFetching}>
          <thead>
            <tr>
              {Object.entries(texts.columns).map(([column, title]) => (
                <th scope="col" key={column}>
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ path, name, mark, cells }) => (
              <tr key={path}>
                <th scope="row">
                  <Link href={`${place}/${path}`} class="text">
                    {name}
                  </Link>
                  {mark !== undefined && (
                    <span class="marks">
                      <span class="mark long">{mark}</span>
                    </span>
                  )}
                </th>
                {cells.map(({ content, isText = false }, at) => (
                  <td key={columns[at]} data-label={columns[at]} class={isText ? 'text' : undefined}>
                    {content}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <Pager
        url={url}
        next={page?.next_cursor ?? page?.nextCursor}
        total={page?.total}
        isExact={page?.total_is_exact ?? page?.totalIsExact ?? true}
        shown={rows.length}
      />
      <Command requests={[request]} />
    </>
  );
}
