import { useEffect, useRef, useState } from 'preact/hooks';
import { messages } from '../messages/messages.ts';
import type { useUrlState } from './use-url-state.ts';

export interface Filter {
  name: string;
  label: string;
  /** By the value of the query. */
  options?: Readonly<Record<string, string>>;
  type?: 'date' | 'text';
}

interface Props {
  url: ReturnType<typeof useUrlState>;
  /** Undefined: there is no search. */
  searchLabel?: string;
  filters: readonly Filter[];
}

/** Milliseconds after the last letter. */
const pause = 150;

/** Search and filters of a list; they stand in its URL. */
export function Filters({ url, searchLabel, filters }: Props) {
  const { list } = messages;
  const active = filters.filter(({ name }) => (url.state[name] ?? '') !== '').length;
  return (
    <div class="filters">
      {searchLabel !== undefined && <SearchInput url={url} label={searchLabel} />}
      <details open={active > 0}>
        <summary>{active === 0 ? list.filters : list.filtersOn(active)}</summary>
        <div class="columns">
          {filters.map(({ name, label, options, type = 'text' }) => (
            <div class="field" key={name}>
              <label for={`filter-${name}`}>{label}</label>
              {options === undefined ? (
                <input
                  id={`filter-${name}`}
                  type={type}
                  // A link may name the hour, too.
                  value={(url.state[name] ?? '').slice(0, type === 'date' ? 10 : undefined)}
                  onChange={({ currentTarget }) => url.set({ [name]: currentTarget.value })}
                  spellcheck={false}
                />
              ) : (
                <select
                  id={`filter-${name}`}
                  value={url.state[name] ?? ''}
                  onChange={({ currentTarget }) => url.set({ [name]: currentTarget.value })}
                >
                  <option value="">{list.all}</option>
                  {Object.entries(options).map(([value, text]) => (
                    <option key={value} value={value}>
                      {text}
                    </option>
                  ))}
                </select>
              )}
            </div>
          ))}
        </div>
        {active > 0 && (
          <button type="button" onClick={() => url.set(Object.fromEntries(filters.map(({ name }) => [name, ''])))}>
            {list.clear}
          </button>
        )}
      </details>
    </div>
  );
}

/** The list follows what is typed, a moment after the last letter. */
function SearchInput({ url, label }: { url: Props['url']; label: string }) {
  const searched = url.state.search ?? '';
  const [typed, setTyped] = useState(searched);
  const timer = useRef<ReturnType<typeof setTimeout>>();
  useEffect(() => setTyped(searched), [searched]);
  const type = (text: string) => {
    setTyped(text);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => url.set({ search: text.trim() }, { replace: true }), pause);
  };
  return (
    <search>
      <label class="unseen" for="list-search">
        {label}
      </label>
      <input
        id="list-search"
        type="search"
        placeholder={label}
        value={typed}
        maxlength={64}
        onInput={({ currentTarget }) => type(currentTarget.value)}
        autocomplete="off"
        spellcheck={false}
      />
    </search>
  );
}
