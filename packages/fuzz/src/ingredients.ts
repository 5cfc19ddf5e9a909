import type { Authenticator, ClientKey } from '@gatehouse/test-kit';

export const callback = 'https://app.example.com/callback';
/** As the public client registers it. It may come with any port. */
export const loopbackCallback = 'http://127.0.0.1:80/callback';

/** A form of a page, as a browser was given it. */
export interface PageForm {
  /** Where it is posted to. */
  path: string;
  /** The cookies of that browser. */
  cookie: string;
  /** The hidden ones. */
  fields: Record<string, string>;
  /** The buttons that say something, each as name and value. */
  buttons: [string, string][];
  passkey?: PasskeyQuestion | undefined;
}

/** The question of a page to an authenticator (WebAuthn 3, 5.4 and 5.5): for a new passkey, of the user with this handle, or for an answer. */
export interface PasskeyQuestion {
  challenge: string;
  userHandle: string | undefined;
}

/** A user of a round, who may lose a way to sign in, and all else, at any time. */
export interface Person {
  id: string;
  username: string;
  /** Milliseconds since the epoch: auth-server names a user so. */
  passwordChangedAt: number;
  /** Of the code app, where there is one. */
  secret?: string;
}

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
  /** A key that org-api believes as one of auth-server; undefined where it believes those of auth-server alone. */
  serviceKey: ClientKey | undefined;
  people: Person[];
  /** Those whose passkeys are registered, and some whose are not. */
  authenticators: Authenticator[];
  /** The newest of each page. */
  forms: PageForm[];
  /** Values of the answers: tokens, codes, request_uris, nonces; clients and users that may be changed and deleted. */
  found: Record<string, string[]>;
}
