import { useQuery } from '@tanstack/preact-query';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { DryRun } from '../api/auth-server.ts';
import type { ApiRequest } from '../api/request.ts';
import { useConsole } from '../console.ts';
import { messages } from '../messages/messages.ts';
import { Command } from './command.tsx';
import { Dialog } from './dialog.tsx';
import { Ends } from './ends.tsx';
import { Fault } from './fault.tsx';
import { TypedText } from './typed-text.tsx';
import { useAct } from './use-api.ts';

interface Props<Answer> {
  title: string;
  text: string;
  request: ApiRequest<Answer>;
  /** Where the service can say what ends. */
  trial?: ApiRequest<DryRun> | undefined;
  action: string;
  /** A name that is to be typed. */
  name?: string | undefined;
  children?: ComponentChildren;
  /** Whether nothing is taken away by it. */
  isSafe?: boolean;
  /** Whether what was typed may not be sent. */
  isBlocked?: boolean;
  onDone?: (answer: Answer) => void;
  onClose: () => void;
}

/** Shows what an act by one click does, then does it. */
export function Confirm<Answer>({
  title,
  text,
  request,
  trial,
  action,
  name,
  children,
  isSafe = false,
  isBlocked = false,
  onDone,
  onClose,
}: Props<Answer>) {
  const { send } = useConsole();
  const { form, review } = messages;
  const [typed, setTyped] = useState('');
  const tried = useQuery({
    queryKey: ['trial', trial],
    queryFn: async () => (trial === undefined ? undefined : (await send(trial)).body.ends) ?? null,
    ...{ gcTime: 0, staleTime: 0, enabled: trial !== undefined },
  });
  const act = useAct(() => request);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    act.mutate(undefined, {
      onSuccess: ({ body }) => {
        onDone?.(body);
        if (onDone === undefined) onClose();
      },
    });
  };
  const isReady =
    (trial === undefined || tried.isSuccess) && (name === undefined || typed === name) && !act.isPending && !isBlocked;
  return (
    <Dialog title={title} onClose={onClose}>
      <form onSubmit={submit}>
        <Fault error={act.error ?? tried.error} />
        <p>{text}</p>
        {children}
        {trial !== undefined && tried.isPending && <p role="status">{review.asking}</p>}
        {tried.data && <Ends ends={tried.data} />}
        {name !== undefined && <TypedText text={name} typed={typed} onType={setTyped} />}
        <Command requests={[request]} />
        <p class="actions">
          <button type="submit" class={isSafe ? 'primary' : 'danger'} disabled={!isReady}>
            {act.isPending ? form.saving : action}
          </button>
          <button type="button" onClick={onClose}>
            {form.cancel}
          </button>
        </p>
      </form>
    </Dialog>
  );
}
