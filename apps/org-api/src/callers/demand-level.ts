import { createRefusals } from '@gatehouse/resource-server/parts';
import { type Clock, findAdministrationLevel, toSeconds } from '@gatehouse/service-kit';
import { isLevel, type Level, levels, ProblemError, satisfies } from '@gatehouse/shared';
import type { Caller } from './authenticate-bearer-endpoint.ts';

export interface LevelNeeds {
  acr: Level;
  /** Seconds since the user signed in. */
  maxAge?: number;
}

/**
 * Throws the 401 of RFC 9470 3 where the sign-in of a Person does not do for administration, or leaves out the second step that the
 * user has. A Robot has one secret.
 */
export type DemandAdministrationLevel = (caller: Caller) => void;

export function createDemandAdministrationLevel(demandLevel: DemandLevel, administrationAcr: Level) {
  const [password] = levels;
  return (caller: Caller): void => {
    const { user } = caller;
    if (user === undefined || user.userType === 'Robot') return;
    const acr = findAdministrationLevel(administrationAcr, user.secondStep);
    if (acr !== password) demandLevel(caller, { acr });
  };
}

/** Throws the 401 of RFC 9470 3 where the sign-in of the caller's token does not do. */
export type DemandLevel = (caller: Caller, needs: LevelNeeds) => void;

interface Dependencies {
  /** Where the metadata of this service stands. */
  metadataUrl: string;
  clock: Clock;
}

export function createDemandLevel({ metadataUrl: resourceMetadata, clock }: Dependencies): DemandLevel {
  const refusals = createRefusals({ resourceMetadata });
  return ({ token: { acr, authTime, dpopJkt } }, needs) => {
    const isReached = isLevel(acr) && satisfies(acr, needs.acr);
    const isRecent = needs.maxAge === undefined || (authTime ?? 0) >= toSeconds(clock()) - needs.maxAge;
    if (isReached && isRecent) return;
    const { message, headers } = refusals.insufficientAuthentication(
      { acr: [needs.acr], maxAge: needs.maxAge },
      dpopJkt === undefined ? 'Bearer' : 'DPoP',
    );
    throw new ProblemError(401, message, { challenge: headers['www-authenticate'] ?? '' });
  };
}
