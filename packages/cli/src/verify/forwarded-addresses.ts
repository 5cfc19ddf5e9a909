import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError } from '../connection/api.ts';
import type { Findings } from './findings.ts';
import type { Service } from './service.ts';
import type { Target } from './target.ts';

/** An address of no machine (RFC 5737 3). */
const forged = '192.0.2.77';
/** Times a second apart: a refusal of another replica is written every two seconds. */
const mostTries = 6;

/** Sends an `X-Forwarded-For` with a request that is refused, and reads which network the service says it came from. */
export async function checkForwardedAddresses(
  target: Target,
  services: readonly Service[],
  findings: Findings,
): Promise<void> {
  for (const service of services) {
    const id = `gatehouse-verify-${randomUUID()}`;
    await target.send('deployment', refusedUrl(service), () => ({
      headers: { 'x-forwarded-for': forged, 'x-request-id': id },
    }));
    const network = await findNetwork(service, id);
    if (network === undefined)
      findings.leave('deployment', `X-Forwarded-For at ${service.name}: it kept no refusal of this request`);
    else if (network === forged)
      findings.find('deployment.forwarded_for', `${service.name} believes that a request came from ${forged}`);
    else findings.measure('deployment', `${service.name} sees this machine as ${network}`);
  }
}

/** The configuration is no matter of a stranger. */
const refusedUrl = ({ base, root }: Service) => `${base}${root}/configuration`;

async function findNetwork({ api, root }: Service, id: string): Promise<string | undefined> {
  for (let tries = 0; tries < mostTries; tries += 1) {
    try {
      const { body } = await api({ method: 'GET', path: `${root}/refusals/${id}` });
      const [first] = body.refusals as { network: string }[];
      return first?.network;
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 404) throw error;
      await sleep(1_000);
    }
  }
  return undefined;
}
