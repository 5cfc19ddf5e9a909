import type { ClientKey } from '@gatehouse/test-kit';

export const callback = 'https://app.example.com/callback';
/** As the public client registers it. It may come with any port. */
export const loopbackCallback = 'http://127.0.0.1:80/callback';

/** Values that a stranger does not have: with them, requests get as far as they can. */
export interface Ingredients {
  /** Of the services, in this order of keys: where assertions and proofs are meant for. */
  urls: { 'auth-server': string; 'org-api': string };
  /** Clients with a secret, as `Basic` credentials. */
  clients: [string, string][];
  publicClient: string;
  keyed: { id: string; key: ClientKey };
  /** Of the administrator. Nobody revokes it: it is in no pool. */
  administratorToken: string;
  /** By it clients register themselves. `found` has those that did, each as client_id and registration access token. */
  initialToken: string;
  /** The key that proofs are made with. */
  holder: ClientKey;
  /** Forms of pages, with the cookies of the browser that was given them. */
  forms: { path: string; cookie: string; fields: Record<string, string> }[];
  /** Values of the answers: tokens, codes, request_uris, nonces; clients and users that may be changed and deleted. */
  found: Record<string, string[]>;
}
