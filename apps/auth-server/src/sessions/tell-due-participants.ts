import type { Clock, Logger } from '@gatehouse/service-kit';
import type { ClientStore } from '../clients/client-store.ts';
import type { SendLogoutToken, SignLogoutToken } from './logout-token.ts';
import type { SessionParticipant } from './session-participant.ts';
import type { SessionParticipantStore } from './session-participant-store.ts';

/** Tells the clients that are to be told of a logout now. */
export type TellDueParticipants = () => Promise<void>;

interface Dependencies {
  participants: SessionParticipantStore;
  clients: Pick<ClientStore, 'find'>;
  signLogoutToken: SignLogoutToken;
  sendLogoutToken: SendLogoutToken;
  clock: Clock;
  log: Logger;
}

/** Milliseconds before a try is repeated. */
const retryAfter = 30_000;
const batchSize = 50;

export function createTellDueParticipants(deps: Dependencies): TellDueParticipants {
  const { participants, clients, signLogoutToken, sendLogoutToken, clock, log } = deps;

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
