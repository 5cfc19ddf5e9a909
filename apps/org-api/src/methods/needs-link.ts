import { isPlainAddress } from '../mails/mail.ts';
import type { Outbox } from '../mails/outbox.ts';
import type { IsFamiliarPlace, Place } from '../users/familiar-place.ts';
import type { User } from '../users/user.ts';

/**
 * Whether a mailed link comes before the first second step of a user: a stolen password alone, at a browser and in a network that
 * are both new, adds none.
 */
export type NeedsLink = (user: User, place: Place) => Promise<boolean>;

interface Dependencies {
  mails: Pick<Outbox, 'isOn'>;
  isFamiliarPlace: IsFamiliarPlace;
}

export function createNeedsLink({ mails, isFamiliarPlace }: Dependencies): NeedsLink {
  return async (user, place) => {
    if (!mails.isOn || !user.emailVerified || !isPlainAddress(user.email)) return false;
    return !(await isFamiliarPlace(user, place));
  };
}
