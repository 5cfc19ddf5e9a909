import { isBoundedString, isJsonObject } from '@gatehouse/shared';

/** A client that acts with a token of another party, and the one that acted before it (RFC 8693 4.1). */
export interface Actor {
  /** Its client_id. */
  sub: string;
  act?: Actor;
}

/** The longest chain of actors. */
export const mostActors = 5;

/** Characters of a client_id. */
const longestName = 255;

export function countActors(actor: Actor | undefined): number {
  return actor === undefined ? 0 : 1 + countActors(actor.act);
}

/** Whether a claim is a chain of actors that this server wrote. */
export function isActor(value: unknown, room = mostActors): boolean {
  if (room === 0 || !isJsonObject(value) || !isBoundedString(value.sub, longestName)) return false;
  return value.act === undefined || isActor(value.act, room - 1);
}
