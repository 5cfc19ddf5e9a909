import { type ClientMetadata, isLevel, type Level, levels, satisfies } from '@gatehouse/shared';
import type { RequestedAcr } from '../protocol/claims-parameter.ts';
import type { Authentication } from './authentication.ts';
import { listReached, type Proofs } from './proofs.ts';

/** The demands of a client or an API on every sign-in. */
export interface LevelRequirement {
  requiredAcr?: Level | undefined;
  /** Seconds since the sign-in, at most. */
  maxAge?: number | undefined;
}

/** The demands of a request on a sign-in. */
export interface LevelDemand {
  /** Levels that will do, the preferred one first. Tokens name the first that the user reached. */
  asked: readonly Level[];
  /** The lowest level that is let through; undefined where every level is. */
  required: Level | undefined;
  /** Seconds since the sign-in, at most. */
  maxAge: number | undefined;
}

/** The level that a request asks for. */
interface AskedLevel {
  /** Of the parameter claims. Every value is let through unless it is essential (OpenID Connect Core 5.5.1.1). */
  acr?: RequestedAcr;
  acrValues: readonly string[];
  /** Seconds. */
  maxAge: number | undefined;
}

/** The levels that a client registered. */
type ClientLevels = Pick<ClientMetadata, 'default_acr_values' | 'default_max_age' | 'required_acr'>;

/**
 * Joins what a request asks for with what its client and its APIs require. The highest level that is required and the shortest
 * time win; values that are no level are ignored.
 */
export function buildLevelDemand(
  { acr = { values: [], isEssential: false }, acrValues, maxAge }: AskedLevel,
  { default_acr_values: defaults = [], default_max_age: defaultMaxAge, required_acr: requiredAcr }: ClientLevels,
  ofApis: readonly LevelRequirement[],
): LevelDemand {
  const essential = acr.isEssential ? lowestOf(acr.values.filter(isLevel)) : undefined;
  const required = highestOf([essential, requiredAcr, ...ofApis.map((api) => api.requiredAcr)]);
  const values = [...acr.values, ...acrValues, ...defaults, required].filter(isLevel);
  const asked = values.filter((level) => required === undefined || satisfies(level, required));
  const ages = [maxAge ?? defaultMaxAge, ...ofApis.map((api) => api.maxAge)].filter((age) => age !== undefined);
  return { asked, required, maxAge: ages.length === 0 ? undefined : Math.min(...ages) };
}

/** Whether a sign-in of this time is recent enough at `now` (milliseconds). A `maxAge` of 0 demands a new one. */
export function isRecent(authTime: number, maxAge: number | undefined, now: number): boolean {
  return maxAge === undefined || now < (authTime + maxAge) * 1000;
}

/** Whether the proofs reach what is required, however long ago. */
export function reaches(proofs: Proofs, { required }: Pick<LevelDemand, 'required'>): boolean {
  return required === undefined || listReached(proofs).some(({ acr }) => satisfies(acr, required));
}

/**
 * Chooses what tokens say of a sign-in: the first level asked for that it reaches, else the highest one whose time meets
 * `maxAge`. Right after a sign-in that `maxAge` demanded, every level does.
 */
export function chooseAuthentication(proofs: Proofs, { asked, maxAge }: LevelDemand, now: number): Authentication {
  const all = listReached(proofs);
  const recent = all.filter(({ authTime }) => isRecent(authTime, maxAge, now));
  const candidates = recent.length > 0 ? recent : all;
  for (const acr of asked) {
    // A level that is asked for may be reached by way of a higher one.
    const found = candidates.find((one) => satisfies(one.acr, acr));
    if (found !== undefined) return { ...found, acr };
  }
  const highest = candidates.at(-1);
  if (highest === undefined) throw new Error('the session has no proof of a sign-in');
  return highest;
}

/**
 * Says how an authentication falls short of the requirements at `now` (milliseconds), as a request to the authorization
 * endpoint would ask for more; undefined where it does not.
 */
export function findShortfall(
  { acr, authTime }: Authentication,
  requirements: readonly LevelRequirement[],
  now: number,
): string | undefined {
  let unmet: Level | undefined;
  let tooOld: number | undefined;
  for (const { requiredAcr, maxAge } of requirements) {
    if (requiredAcr !== undefined && !satisfies(acr, requiredAcr)) unmet = highestOf([requiredAcr, unmet]);
    if (!isRecent(authTime, maxAge, now)) tooOld = maxAge;
  }
  if (unmet !== undefined) return `acr_values=${unmet}`;
  return tooOld === undefined ? undefined : `max_age=${tooOld}`;
}

function highestOf(found: readonly (Level | undefined)[]): Level | undefined {
  return levels.findLast((level) => found.includes(level));
}

function lowestOf(found: readonly Level[]): Level | undefined {
  return levels.find((level) => found.includes(level));
}
