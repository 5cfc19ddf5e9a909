import { randomBytes } from 'node:crypto';
import { type Clock, type Logger, toSeconds } from '@gatehouse/service-kit';
import type { Client } from '../clients/client.ts';
import type { ClientStore } from '../clients/client-store.ts';
import type { SigningKeys } from '../keys/signing-keys.ts';
import { sessionLifetime } from '../protocol/session-lifetime.ts';
import type { BrowserSession } from './browser-session.ts';
import type { SessionParticipant } from './session-participant.ts';
import type { SessionParticipantStore } from './session-participant-store.ts';

/**
 * Back-Channel Logout 1.0: the clients that took part in a session are told when it ends. What is still to be told is
 * a row, so it survives a killed process and is told by whichever replica takes it first.
 */
export interface SessionParticipants {
  /** Remembers that the client got something from the session, if it wants to be told of the end. */
  add(session: BrowserSession, client: Client): Promise<void>;
  /** From now on the session's clients are to be told; begins at once. */
  tell(session: BrowserSession): Promise<void>;
  stop(): void;
}

/** Sends a logout token to a client; rejects where it did not arrive. */
export type SendLogoutToken = (uri: string, logoutToken: string) => Promise<void>;

interface Dependencies {
  participants: SessionParticipantStore;
  clients: ClientStore;
  signingKeys: SigningKeys;
  sendLogoutToken: SendLogoutToken;
  issuer: string;
  clock: Clock;
  log: Logger;
}

/** Seconds a logout token is valid (Back-Channel Logout 1.0 section 4: at most two minutes). */
const tokenLifetime = 120;
/** Milliseconds between looks for what is still to be told, and before a try is repeated. */
const interval = 5_000;
const retryAfter = 30_000;
/** Milliseconds for which it is tried. */
const giveUpAfter = 10 * 60_000;
const batchSize = 50;

export function createSessionParticipants(deps: Dependencies): SessionParticipants {
  const { participants, clients, signingKeys, sendLogoutToken, issuer, clock, log } = deps;

  const buildLogoutToken = ({ userId, sessionId }: SessionParticipant, { clientId, metadata }: Client) => {
    const iat = toSeconds(clock());
    // Section 2.6: checked as ID tokens are, so signed as they are.
    return signingKeys.sign(metadata.id_token_signed_response_alg ?? 'RS256', 'logout+jwt', {
      iss: issuer,
      sub: userId,
      aud: clientId,
      iat,
      exp: iat + tokenLifetime,
      jti: randomBytes(16).toString('base64url'),
      sid: sessionId,
      events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
    });
  };

  const tellOne = async (participant: SessionParticipant) => {
    // Taken by moving its time: of several replicas the one whose statement matches sends it.
    if (!(await participants.claim(participant, clock() + retryAfter))) return;
    const client = await clients.find(participant.clientId);
    const uri = client?.metadata.backchannel_logout_uri;
    if (client !== undefined && uri !== undefined) await sendLogoutToken(uri, buildLogoutToken(participant, client));
    await participants.delete(participant);
  };
  const tellDue = async () => {
    const due = await participants.listDue(clock(), batchSize);
    await Promise.all(
      due.map((participant) =>
        tellOne(participant).catch((error: unknown) =>
          log.warn(
            { err: error, clientId: participant.clientId },
            'a client could not be told of a logout; it will be tried again',
          ),
        ),
      ),
    );
  };
  const tellInBackground = () => {
    tellDue().catch((error: unknown) => log.warn({ err: error }, 'logouts still to be told could not be read'));
  };
  const timer = setInterval(tellInBackground, interval);
  timer.unref();

  return {
    async add({ sessionId, userId }, { clientId, metadata }) {
      if (metadata.backchannel_logout_uri === undefined) return;
      await participants.insert({
        sessionId,
        clientId,
        userId,
        tellAt: undefined,
        expiresAt: clock() + sessionLifetime,
      });
    },
    async tell({ sessionId }) {
      const now = clock();
      await participants.startTelling(sessionId, { now, expiresAt: now + giveUpAfter });
      tellInBackground();
    },
    stop: () => clearInterval(timer),
  };
}
