import { messages } from '../messages/messages.ts';

interface Props {
  /** Of the page; undefined for the newest one. */
  cursor: string | undefined;
  /** Of the next page; undefined where there is none. */
  before: string | undefined;
  show: (cursor: string | undefined) => void;
}

/** The buttons of a list by time. */
export function OlderNewer({ cursor, before, show }: Props) {
  const { newest, older } = messages.events;
  return (
    <p class="actions">
      {cursor !== undefined && (
        <button type="button" onClick={() => show(undefined)}>
          {newest}
        </button>
      )}
      {before !== undefined && (
        <button type="button" onClick={() => show(before)}>
          {older}
        </button>
      )}
    </p>
  );
}
