import type { Client } from '../api/auth-server.ts';
import { messages } from '../messages/messages.ts';

const { secrets } = messages.clients;

/** Three steps, with what is done so far: nothing that works stops. */
export function SecretRotation({
  isStarted,
  client,
  make,
  end,
}: {
  isStarted: boolean;
  client: Client;
  make: () => void;
  end: () => void;
}) {
  const { steps } = secrets;
  const since = Date.parse(client.secret_set_at ?? '');
  const isNewUsed = isStarted && Date.parse(client.secret_last_used_at ?? '') >= since;
  const isOldUsed = isStarted && Date.parse(client.previous_secret_last_used_at ?? '') >= since;
  return (
    <section class="group">
      <div>
        <h2>{steps.title}</h2>
        <p class="quiet">{steps.text}</p>
      </div>
      <ol class="steps">
        <li class={isStarted ? 'done' : ''}>
          <strong>{steps.make}</strong>
          {!isStarted && (
            <button type="button" class="primary" onClick={make}>
              {secrets.make}
            </button>
          )}
          {isStarted && <span class="quiet">{steps.isMade}</span>}
        </li>
        <li class={isNewUsed && !isOldUsed ? 'done' : ''}>
          <strong>{steps.use}</strong>
          {isStarted && (
            <span class="quiet">{isOldUsed ? steps.oldUsed : isNewUsed ? steps.newUsed : steps.notUsed}</span>
          )}
        </li>
        <li>
          <strong>{steps.end}</strong>
          {isStarted && (
            <button type="button" onClick={end}>
              {secrets.end}
            </button>
          )}
        </li>
      </ol>
    </section>
  );
}
