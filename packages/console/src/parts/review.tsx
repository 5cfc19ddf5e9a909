import { useQuery } from '@tanstack/preact-query';
import type { DryRun } from '../api/auth-server.ts';
import { ApiError, type ApiRequest, type FieldFault } from '../api/request.ts';
import { useConsole } from '../console.ts';
import { messages } from '../messages/messages.ts';
import { Changes } from './changes.tsx';
import { Command } from './command.tsx';
import { Dialog } from './dialog.tsx';
import { Ends } from './ends.tsx';
import { Fault } from './fault.tsx';
import { useAct } from './use-api.ts';

interface Props<Answer> {
  title: string;
  note?: string | undefined;
  /** The act, and its trial. */
  request: ApiRequest<Answer>;
  trial: ApiRequest<DryRun>;
  action: string;
  onDone: (answer: Answer) => void;
  onClose: (faults: readonly FieldFault[]) => void;
}

/** Asks the service what a change would do, and shows it; then the change itself. */
export function Review<Answer>({ title, note, request, trial, action, onDone, onClose }: Props<Answer>) {
  const { send } = useConsole();
  const { review, form } = messages;
  // Each opening asks anew.
  const tried = useQuery({ queryKey: ['trial', trial], queryFn: () => send(trial), gcTime: 0, staleTime: 0 });
  const act = useAct(() => request);
  const error = act.error ?? tried.error;
  const close = () => onClose(error instanceof ApiError ? error.faults : []);
  const save = () => act.mutate(undefined, { onSuccess: ({ body }) => onDone(body) });
  const { changes = [], ends = [] } = tried.data?.body ?? {};
  // The service shows no secret.
  const typed = Object.keys(request.secrets ?? {}).filter((name) => name in (request.body ?? {}));
  const unseen = typed.map((field) => ({ field, from: review.notShown, to: review.asTyped }));
  // Of an object that is made there is nothing before.
  const hasBefore = request.method !== 'POST';
  return (
    <Dialog title={title} onClose={close}>
      {note !== undefined && <p class="note">{note}</p>}
      <Fault error={error} />
      {tried.isPending && <p role="status">{review.asking}</p>}
      {tried.isSuccess && (
        <>
          <Changes
            changes={[...changes, ...unseen]}
            before={hasBefore ? review.now : undefined}
            after={hasBefore ? review.then : review.value}
          />
          <Ends ends={ends} />
        </>
      )}
      <Command requests={[request]} />
      <p class="actions">
        <button type="button" class="primary" disabled={!tried.isSuccess || act.isPending} onClick={save}>
          {act.isPending ? form.saving : action}
        </button>
        <button type="button" onClick={close}>
          {form.back}
        </button>
      </p>
    </Dialog>
  );
}
