import { useState } from 'preact/hooks';
import type { ApiRequest } from '../api/request.ts';
import { Command } from './command.tsx';
import { Fault } from './fault.tsx';
import { useAct } from './use-api.ts';

interface Props {
  texts: { check: string; checkText: string; checked: string; matches: string; matchesNot: string };
  /** Asks the service whether a secret is the right one. */
  check: (secret: string) => ApiRequest<{ matches: boolean }>;
}

/** Whether a secret that is typed works now. */
export function SecretCheck({ texts, check }: Props) {
  const [typed, setTyped] = useState('');
  const act = useAct(check);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    act.mutate(typed, { onSuccess: () => setTyped('') });
  };
  return (
    <section class="group">
      <div>
        <h2>{texts.check}</h2>
        <p class="quiet">{texts.checkText}</p>
      </div>
      <form onSubmit={submit}>
        <Fault error={act.error} />
        <div class="field">
          <label for="check">
            {texts.checked} <code class="name">secret</code>
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
          {texts.check}
        </button>
        <p role="status">{act.data && (act.data.body.matches ? texts.matches : texts.matchesNot)}</p>
        <Command requests={[check('')]} />
      </form>
    </section>
  );
}
