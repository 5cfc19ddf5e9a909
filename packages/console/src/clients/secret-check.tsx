import { useState } from 'preact/hooks';
import { checkClientSecret } from '../api/auth-server.ts';
import { messages } from '../messages/en.ts';
import { Command } from '../parts/command.tsx';
import { Fault } from '../parts/fault.tsx';
import { useAct } from '../parts/use-api.ts';

const { secrets } = messages.clients;

/** Whether a secret that is typed works now. */
export function SecretCheck({ clientId }: { clientId: string }) {
  const [typed, setTyped] = useState('');
  const act = useAct((secret: string) => checkClientSecret(clientId, secret));
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    act.mutate(typed, { onSuccess: () => setTyped('') });
  };
  return (
    <section class="group">
      <div>
        <h2>{secrets.check}</h2>
        <p class="quiet">{secrets.checkText}</p>
      </div>
      <form onSubmit={submit}>
        <Fault error={act.error} />
        <div class="field">
          <label for="check">
            {secrets.checked} <code class="name">secret</code>
          </label>
          <input
            id="check"
            type="password"
            value={typed}
            onInput={({ currentTarget }) => setTyped(currentTarget.value)}
            autocomplete="off"
            required
          />
        </div>
        <button type="submit" disabled={act.isPending}>
          {secrets.check}
        </button>
        <p role="status">{act.data && (act.data.body.matches ? secrets.matches : secrets.matchesNot)}</p>
        <Command requests={[checkClientSecret(clientId, '')]} />
      </form>
    </section>
  );
}
