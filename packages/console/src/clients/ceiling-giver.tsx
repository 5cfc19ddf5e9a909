import type { Client } from '../api/auth-server.ts';
import { listAuditEvents } from '../api/events.ts';
import { Party } from '../events/event-table.tsx';
import { useAnswer } from '../parts/use-api.ts';

/** Milliseconds around the instant in which the event of a change stands. */
const [early, late] = [1_000, 60_000];

/** Whether somebody gave it: a client of the configuration has its own, and one that registered itself has none of anybody. */
export const hasGiver = ({ managed_by, dynamic }: Client) => managed_by !== 'configuration' && !dynamic;

/** Asks for the event by which a client got its ceiling: that of its registration, or of the change to all roles. */
export function findCeilingGiver({ client_id, ceiling_given_at, created_at }: Client) {
  const at = Date.parse(ceiling_given_at ?? created_at);
  return listAuditEvents('auth-server', {
    ...{ subject: client_id, type: 'client.registered,client.changed', limit: 20 },
    ...{ from: new Date(at - early).toISOString(), to: new Date(at + late).toISOString() },
  });
}

/** Who gave a client its ceiling; nothing once the trail has forgotten it. */
export function CeilingGiver({ client }: { client: Client }) {
  const answer = useAnswer(findCeilingGiver(client));
  const first = answer.data?.body.events.at(-1);
  return first === undefined ? null : (
    <>
      {' \u00b7 '}
      <Party party={first.actor} />
    </>
  );
}
