import { useQueryClient } from '@tanstack/preact-query';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { ApiRequest } from '../api/request.ts';
import { useConsole } from '../console.ts';
import { messages } from '../messages/en.ts';
import { Command } from './command.tsx';
import { Dialog } from './dialog.tsx';

export interface ManyAct {
  label: string;
  /** Of one row, by its key. */
  build: (key: string) => ApiRequest;
}

/** What can be done to the rows that are chosen: nothing before their names were shown, one request each, a result each. */
export function Selection({
  children,
  keys,
  acts,
  onDone,
}: {
  keys: readonly string[];
  acts: readonly ManyAct[];
  onDone: () => void;
  /** More that can be done. */
  children?: ComponentChildren;
}) {
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

function ManyDialog({
  keys,
  act,
  onClose,
}: {
  keys: readonly string[];
  act: ManyAct;
  onClose: (isDone: boolean) => void;
}) {
  const { send } = useConsole();
  const queries = useQueryClient();
  const { list, form } = messages;
  const [results, setResults] = useState<Readonly<Record<string, string>>>({});
  const [state, setState] = useState<'asking' | 'running' | 'done'>('asking');
  const run = async () => {
    setState('running');
    for (const key of keys) {
      const result = await send(act.build(key)).then(
        () => list.done,
        (error: Error) => error.message,
      );
      setResults((before) => ({ ...before, [key]: result }));
    }
    setState('done');
    await queries.invalidateQueries();
  };
  return (
    <Dialog title={`${act.label}: ${list.chosen(keys.length)}`} onClose={() => onClose(state !== 'asking')}>
      <ul class="many">
        {keys.map((key) => (
          <li key={key}>
            <span class="text">{key}</span>{' '}
            <span class="quiet" role="status">
              {results[key]}
            </span>
          </li>
        ))}
      </ul>
      <Command requests={keys.map(act.build)} />
      <p class="actions">
        {state !== 'done' && (
          <button type="button" class="danger" disabled={state === 'running'} onClick={run}>
            {act.label}
          </button>
        )}
        <button type="button" onClick={() => onClose(state !== 'asking')}>
          {state === 'done' ? form.close : form.cancel}
        </button>
      </p>
    </Dialog>
  );
}
