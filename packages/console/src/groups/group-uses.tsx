import { listResources } from '../api/auth-server.ts';
import { messages } from '../messages/messages.ts';
import { ClientsOf } from '../parts/clients-of.tsx';
import { Command } from '../parts/command.tsx';
import { Fault } from '../parts/fault.tsx';
import { LinkedRows } from '../parts/linked-rows.tsx';
import { useAnswer } from '../parts/use-api.ts';

const { groups } = messages;

/** The applications and APIs that name a group. A realm has few APIs: one page shows them. */
export function GroupUses({ name }: { name: string }) {
  const request = listResources({ group: name, limit: 200 });
  const answer = useAnswer(request);
  const { resources = [] } = answer.data?.body ?? {};
  return (
    <>
      <h2>{groups.letIn}</h2>
      <ClientsOf query={{ allowed_group: name }} none={groups.noClients} />
      <h2>{groups.carried}</h2>
      <Fault error={answer.error} />
      {answer.isSuccess && resources.length === 0 && <p class="nothing">{groups.noApis}</p>}
      <LinkedRows
        rows={resources.map(({ id, name: title, resource }) => ({
          ...{ key: id, to: `/apis/${id}/settings`, name: title, under: resource },
        }))}
      />
      <Command requests={[request]} />
    </>
  );
}
