import { ApiError } from '../api/request.ts';
import { messages } from '../messages/messages.ts';
import { SignInCancelled } from '../session/session.ts';

/** Why a request failed, in the words of the service, with the id by which its log has it. */
export function Fault({ error }: { error: unknown }) {
  if (error === undefined || error === null || error instanceof SignInCancelled) return null;
  const { faults } = messages;
  if (!(error instanceof ApiError)) {
    return (
      <p class="alarm" role="alert">
        {error instanceof TypeError ? faults.unreachable : String(error)}
      </p>
    );
  }
  return (
    <div class="alarm" role="alert">
      <p>{error.status === 412 ? faults.changedMeanwhile : error.message}</p>
      {error.faults.length > 0 && (
        <ul>
          {error.faults.map(({ field, detail }) => (
            <li key={field}>
              <code>{field}</code> {detail}
            </li>
          ))}
        </ul>
      )}
      {error.requestId !== undefined && (
        <p class="quiet">
          {faults.request} <code>{error.requestId}</code>
        </p>
      )}
    </div>
  );
}
