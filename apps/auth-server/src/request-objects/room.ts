import type { Clock } from '@gatehouse/service-kit';
import type { Clients } from '../clients/room.ts';
import type { Config } from '../config.ts';
import type { Outbound } from '../outbound/room.ts';
import { createFetchRequestObject } from './fetch-request-object.ts';
import { createReadRequestObject } from './read-request-object.ts';

interface Needs {
  config: Pick<Config, 'authUrl'>;
  clients: Clients;
  outbound: Outbound;
  clock: Clock;
}

export type RequestObjects = ReturnType<typeof createRequestObjects>;

/** Reads authorization requests that clients signed. */
export function createRequestObjects({ config, clients, outbound, clock }: Needs) {
  return {
    readRequestObject: createReadRequestObject({ ...clients, issuer: config.authUrl, clock }),
    fetchRequestObject: createFetchRequestObject({ ...clients, ...outbound }),
  };
}
