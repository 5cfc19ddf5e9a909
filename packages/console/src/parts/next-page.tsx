import type { ComponentChildren } from 'preact';
import { messages } from '../messages/messages.ts';
import type { useUrlState } from './use-url-state.ts';

interface Props {
  url: ReturnType<typeof useUrlState>;
  /** Of the cursor in the URL: a screen may have several lists. */
  name?: string;
  next: string | undefined;
  children?: ComponentChildren;
}

/** What can be done to a list of an object, and the way to its other pages. */
export function NextPage({ url, name = 'cursor', next, children }: Props) {
  const { list } = messages;
  return (
    <p class="actions">
      {children}
      {url.state[name] !== undefined && (
        <button type="button" onClick={() => url.set({ [name]: '' })}>
          {list.first}
        </button>
      )}
      {next !== undefined && (
        <button type="button" onClick={() => url.set({ [name]: next })}>
          {list.next}
        </button>
      )}
    </p>
  );
}
