import { buildCommand, buildPreparation, proofOf } from '../api/command.ts';
import type { ApiRequest } from '../api/request.ts';
import { useConsole } from '../console.ts';
import { messages } from '../messages/messages.ts';
import { Copy } from './copy.tsx';

/** The requests of a screen as commands, and where their documentation is. */
export function Command({ requests, isOpen = false }: { requests: readonly ApiRequest[]; isOpen?: boolean }) {
  const { addresses, user } = useConsole();
  const { command } = messages;
  const proofs = [
    ...new Set(requests.flatMap(({ service, client }) => (client === undefined ? [proofOf(service, user.acr)] : []))),
  ];
  return (
    <details class="command" open={isOpen}>
      <summary>{command.title}</summary>
      {requests.map((request) => {
        const text = buildCommand(request, addresses, user.acr);
        return (
          <div class="code" key={text}>
            <pre>{text}</pre>
            <p>
              <Copy text={text} />
              <a
                href={`${addresses[request.service]}/docs#/${request.tag}/${request.operation}`}
                target="_blank"
                rel="noopener"
              >
                {request.operation}
              </a>
            </p>
          </div>
        );
      })}
      {proofs.map((proof) => (
        <div key={proof}>
          <p class="quiet">{command.before[proof]}</p>
          <pre>{buildPreparation(proof, addresses, user.acr)}</pre>
        </div>
      ))}
    </details>
  );
}
