import { Link } from 'wouter-preact';
import { listClients } from '../api/auth-server.ts';
import { messages } from '../messages/messages.ts';
import { Command } from './command.tsx';
import { Fault } from './fault.tsx';
import { LinkedRows } from './linked-rows.tsx';
import { clientPath } from './paths.ts';
import { useAnswer } from './use-api.ts';

interface Props {
  query: { resource: string } | { issuer: string } | { robot: string } | { allowed_group: string };
  /** The words where there is none. */
  none: string;
  /** In a dialog, which has a command of its own. */
  isShort?: boolean;
}

/** The clients that name an object. */
export function ClientsOf({ query, none, isShort = false }: Props) {
  const request = listClients({ ...query, limit: 100 });
  const answer = useAnswer(request);
  const { clients = [], next_cursor } = answer.data?.body ?? {};
  return (
    <>
      <Fault error={answer.error} />
      {answer.isSuccess && clients.length === 0 && <p class="nothing">{none}</p>}
      <LinkedRows
        rows={clients.map(({ client_id, client_name = client_id, scope }) => ({
          ...{ key: client_id, to: clientPath(client_id), name: client_name, under: scope.join(' ') },
        }))}
      />
      {next_cursor !== undefined && (
        <p>
          <Link href={`/clients?${new URLSearchParams(query)}`}>{messages.list.next}</Link>
        </p>
      )}
      {!isShort && <Command requests={[request]} />}
    </>
  );
}
