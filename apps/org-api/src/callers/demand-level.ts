import { createRefusals } from '@gatehouse/resource-server/parts';
import { type Clock, findAdministrationLevel, toSeconds } from '@gatehouse/service-kit';
import { isLevel, type Level, levels, ProblemError, satisfies } from '@gatehouse/shared';
import type { Caller } from './authenticate-bearer-endpoint.ts';

export interface LevelNeeds {
  acr?: Level;
  /** Seconds since the user signed in. */
  maxAge?: number;
}

/**
 * Throws the 401 of RFC 9470 3 where the sign-in of a Person does not do for administration, or leaves out the second step that the
 * user has. A Robot has one secret.
 */
export type DemandAdministrationLevel = (caller: Caller) => void;

export function createDemandAdministrationLevel(demandLevel: DemandLevel, administrationAcr: Level) {
  return (caller: Caller): void => demandLevel(caller, findLevelNeeds(caller, administrationAcr));
}

/** Throws that 401 where a grave act through this client takes a fresher sign-in of a Person. */
export type DemandFreshSignIn = (caller: Caller) => void;

export function createDemandFreshSignIn(demandLevel: DemandLevel, administrationAcr: Level): DemandFreshSignIn {
  return (caller) => {
    const { administrationMaxAge: maxAge } = caller.token;
    if (maxAge === undefined || !isPerson(caller)) return;
    demandLevel(caller, { ...findLevelNeeds(caller, administrationAcr), maxAge });
  };
}

function findLevelNeeds(caller: Caller, administrationAcr: Level): LevelNeeds {
  if (!isPerson(caller)) return {};
  const [password] = levels;
  const acr = findAdministrationLevel(administrationAcr, caller.user?.secondStep === true);
  return acr === password ? {} : { acr };
}

function isPerson({ user }: Caller): boolean {
  return user !== undefined && user.userType !== 'Robot';
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
    const isReached = needs.acr === undefined || (isLevel(acr) && satisfies(acr, needs.acr));
    const isRecent = needs.maxAge === undefined || (authTime ?? 0) >= toSeconds(clock()) - needs.maxAge;
    if (isReached && isRecent) return;
    const { message, headers } = refusals.insufficientAuthentication(
      { ...(needs.acr && { acr: [needs.acr] }), maxAge: needs.maxAge },
      dpopJkt === undefined ? 'Bearer' : 'DPoP',
    );
    throw new ProblemError(401, message, { challenge: headers['www-authenticate'] ?? '' });
  };
}
