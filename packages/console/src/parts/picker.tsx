import { useQuery } from '@tanstack/preact-query';
import { useEffect, useState } from 'preact/hooks';
import { useConsole } from '../console.ts';
import { messages } from '../messages/messages.ts';
import type { Name, Names } from './names.ts';

/** Milliseconds after the last letter. */
const pause = 150;

/** The names that fit what is typed; none before the field was looked at. */
function useNames({ kind, may, find }: Names, typed: string | undefined): readonly Name[] {
  const { send, rights } = useConsole();
  const [asked, setAsked] = useState<string>();
  useEffect(() => {
    const timer = setTimeout(() => setAsked(typed), pause);
    return () => clearTimeout(timer);
  }, [typed]);
  const found = useQuery({
    queryKey: ['names', kind, asked],
    queryFn: () => find(send, asked ?? ''),
    enabled: asked !== undefined && rights[may],
    placeholderData: (before) => before,
  });
  return found.data ?? [];
}

/** What a field offers while its text is typed. */
export function Offered({ id, names, typed }: { id: string; names: Names; typed: string | undefined }) {
  return (
    <datalist id={id}>
      {useNames(names, typed).map(({ value, label }) => (
        <option key={value} value={value} label={label ?? value} />
      ))}
    </datalist>
  );
}

interface PickerProps {
  id: string;
  /** Of the field that takes the names. */
  label: string;
  names: Names;
  onPick: (value: string) => void;
}

/** A field that finds a name and adds it to a list: by a choice among what is offered, or by Enter. */
export function Picker({ id, label, names, onPick }: PickerProps) {
  const { rights } = useConsole();
  const [typed, setTyped] = useState<string>();
  const text = messages.form.pick;
  if (!rights[names.may]) return null;
  const pick = (value: string) => {
    if (value !== '') onPick(value);
    setTyped('');
  };
  return (
    <>
      <input
        class="pick"
        list={`${id}-names`}
        aria-label={`${text}: ${label}`}
        placeholder={text}
        value={typed ?? ''}
        autocomplete="off"
        spellcheck={false}
        onFocus={() => setTyped(typed ?? '')}
        onInput={(event) => {
          const { value } = event.currentTarget;
          // A choice in the list is no typed letter.
          if (event.inputType === undefined || event.inputType === 'insertReplacementText') pick(value);
          else setTyped(value);
        }}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return;
          event.preventDefault();
          pick(event.currentTarget.value.trim());
        }}
      />
      <Offered id={`${id}-names`} names={names} typed={typed} />
    </>
  );
}
