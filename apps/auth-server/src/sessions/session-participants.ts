import { randomBytes } from 'node:crypto';
import { type Clock, type Logger, type Repeat, toSeconds } from '@gatehouse/service-kit';
import type { Client } from '../clients/client.ts';
import { demandsOf } from '../clients/client-demands.ts';
import type { ClientStore } from '../clients/client-store.ts';
import type { SigningKeys } from '../keys/signing-keys.ts';
import type { BrowserSession } from './browser-session.ts';
import type { SessionParticipant } from './session-participant.ts';
import type { SessionParticipantStore } from './session-participant-store.ts';

/**
 * Back-Channel Logout 1.0: the clients that took part in a session are told when it ends. A notice that is still to be
 * sent is a row, so it survives a killed process, and the first replica that takes it sends it.
 */
export interface SessionParticipants {
  /** Remembers that the client got something from the session. */
  add(session: BrowserSession, client: Client): Promise<void>;
  /** From now on the session's clients are to be told; begins at once. */
  tell(session: BrowserSession): Promise<void>;
  /** The client_ids of the session's clients. */
  listClients(sessionId: string): Promise<string[]>;
  stop(): void;
}

interface Dependencies {
  participants: SessionParticipantStore;
  clients: Pick<ClientStore, 'find'>;
  signingKeys: SigningKeys;
  sendLogoutToken: SendLogoutToken;
  issuer: string;
  /** Milliseconds. */
  sessionLifetime: number;
  clock: Clock;
  repeat: Repeat;
  log: Logger;
}

/** Milliseconds between looks for what is still to be told. */
const interval = 5_000;
/** Milliseconds for which it is tried. */
const giveUpAfter = 10 * 60_000;
/** Milliseconds before a try is repeated. */
const retryAfter = 30_000;
const batchSize = 50;

export function createSessionParticipants(deps: Dependencies): SessionParticipants {
  const { participants, sessionLifetime, clock, log } = deps;
  const tellDue = createTellDue(deps, createSignLogoutToken(deps));
  const tellInBackground = () => {
    tellDue().catch((error: unknown) => log.warn({ err: error }, 'logouts still to be told could not be read'));
  };
  const stop = deps.repeat(tellInBackground, interval);

  return {
    async add({ sessionId, userId }, { clientId }) {
      const expiresAt = clock() + sessionLifetime;
      await participants.insert({ sessionId, clientId, userId, tellAt: undefined, expiresAt });
    },
    async tell({ sessionId }) {
      const now = clock();
      await participants.startTelling(sessionId, { now, expiresAt: now + giveUpAfter });
      tellInBackground();
    },
    listClients: (sessionId) => participants.listClients(sessionId),
    stop,
  };
}

/** Tells the clients that are to be told of a logout now. */
function createTellDue(deps: Dependencies, signLogoutToken: SignLogoutToken): () => Promise<void> {
  const { participants, clients, sendLogoutToken, clock, log } = deps;

  const tellOne = async (participant: SessionParticipant) => {
    // Taken by moving its time: of several replicas the one whose statement matches sends it.
    if (!(await participants.claim(participant, clock() + retryAfter))) return;
    const client = await clients.find(participant.clientId);
    const uri = client?.metadata.backchannel_logout_uri;
    if (client !== undefined && uri !== undefined) await sendLogoutToken(uri, signLogoutToken(participant, client));
    await participants.delete(participant);
  };
  const warn = (error: unknown, { clientId }: SessionParticipant) =>
    log.warn({ err: error, clientId }, 'a client could not be told of a logout; it will be tried again');

  return async () => {
    const due = await participants.listDue(clock(), batchSize);
    await Promise.all(
      due.map((participant) => tellOne(participant).catch((error: unknown) => warn(error, participant))),
    );
  };
}

/** Signs the logout token that tells a client of the end of a session (Back-Channel Logout 1.0 section 2.4). */
type SignLogoutToken = (participant: SessionParticipant, client: Client) => string;

/** Sends a logout token to a client; rejects where it did not arrive. */
export type SendLogoutToken = (uri: string, logoutToken: string) => Promise<void>;

/** Seconds a logout token is valid (Back-Channel Logout 1.0 section 4: at most two minutes). */
const tokenLifetime = 120;

function createSignLogoutToken({
  signingKeys,
  issuer,
  clock,
}: Pick<Dependencies, 'signingKeys' | 'issuer' | 'clock'>): SignLogoutToken {
  return ({ userId, sessionId }, client) => {
    const iat = toSeconds(clock());
    // Section 2.6: checked as ID tokens are, so signed as they are.
    return signingKeys.sign(demandsOf(client).idTokenAlgorithm, 'logout+jwt', {
      iss: issuer,
      sub: userId,
      aud: client.clientId,
      iat,
      exp: iat + tokenLifetime,
      jti: randomBytes(16).toString('base64url'),
      sid: sessionId,
      events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
    });
  };
}
