import { useQuery, useQueryClient } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import type { DryRun } from '../api/auth-server.ts';
import type { ApiRequest, Send } from '../api/request.ts';
import { useConsole } from '../console.ts';
import { messages } from '../messages/messages.ts';
import { SignInCancelled } from '../session/session.ts';
import { Command } from './command.tsx';
import { Dialog } from './dialog.tsx';
import { Ends } from './ends.tsx';
import { Fault } from './fault.tsx';
import { sumEnds } from './sum-ends.ts';
import { TypedText } from './typed-text.tsx';

export interface ManyAct {
  label: string;
  /** Of one row, by its key. */
  build: (key: string) => ApiRequest;
  /** Where the service can say what ends. */
  trial?: (key: string) => ApiRequest<DryRun>;
  /** Whether the number of rows is to be typed. */
  isGrave?: boolean;
}

/** What the services said to the trials: what ends, and why they would refuse the act. */
interface Tried {
  ends: DryRun['ends'];
  refused: Readonly<Record<string, string>>;
}

interface Props {
  keys: readonly string[];
  act: ManyAct;
  onClose: (isDone: boolean) => void;
}

/** Shows what an act does to the rows that are chosen, then does it: one request each, a result each. */
export function ManyDialog({ keys, act, onClose }: Props) {
  const { send } = useConsole();
  const queries = useQueryClient();
  const { list, form, review } = messages;
  const { label, build, trial, isGrave = false } = act;
  const [results, setResults] = useState<Readonly<Record<string, string>>>({});
  const [state, setState] = useState<'asking' | 'running' | 'done'>('asking');
  const [typed, setTyped] = useState('');
  const tried = useQuery({
    queryKey: ['trial', label, keys],
    queryFn: () => tryAll(send, keys, trial),
    ...{ gcTime: 0, staleTime: 0 },
  });
  const { ends = [], refused = {} } = tried.data ?? {};
  const open = keys.filter((key) => refused[key] === undefined);
  const run = async () => {
    setState('running');
    for (const key of open) {
      const result = await send(build(key)).then(
        () => list.done,
        (error: Error) => error.message,
      );
      setResults((before) => ({ ...before, [key]: result }));
    }
    setState('done');
    await queries.invalidateQueries({ predicate: ({ queryKey: [kind] }) => kind !== 'trial' });
  };
  const close = () => onClose(state !== 'asking');
  const number = String(open.length);
  const isReady = tried.isSuccess && open.length > 0 && (!isGrave || typed === number) && state !== 'running';
  return (
    <Dialog title={`${label}: ${list.chosen(keys.length)}`} onClose={close}>
      <Fault error={tried.error} />
      <ul class="many">
        {keys.map((key) => (
          <li key={key}>
            <span class="text">{key}</span>{' '}
            <span class="quiet" role="status">
              {results[key] ?? refused[key]}
            </span>
          </li>
        ))}
      </ul>
      {tried.isPending && <p role="status">{review.asking}</p>}
      {trial !== undefined && tried.isSuccess && <Ends ends={ends} />}
      {isGrave && state === 'asking' && <TypedText text={number} typed={typed} onType={setTyped} />}
      <Command requests={open.map(build)} />
      <p class="actions">
        {state !== 'done' && (
          <button type="button" class="danger" disabled={!isReady} onClick={run}>
            {label}
          </button>
        )}
        <button type="button" onClick={close}>
          {state === 'done' ? form.close : form.cancel}
        </button>
      </p>
    </Dialog>
  );
}

/** A sign-in that was given up gives all of it up. */
async function tryAll(send: Send, keys: readonly string[], trial: ManyAct['trial']): Promise<Tried> {
  const ends: DryRun['ends'][] = [];
  const refused: Record<string, string> = {};
  if (trial === undefined) return { ends: [], refused };
  for (const key of keys) {
    try {
      ends.push((await send(trial(key))).body.ends);
    } catch (error) {
      if (error instanceof SignInCancelled) throw error;
      refused[key] = (error as Error).message;
    }
  }
  return { ends: sumEnds(ends), refused };
}
