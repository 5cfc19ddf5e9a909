import type { IsFamiliarPlace, Place } from '../users/familiar-place.ts';
import type { User } from '../users/user.ts';
import type { MailBudget } from './mail-budget.ts';
import type { Outbox } from './outbox.ts';

export type TellNewSignIn = ReturnType<typeof createTellNewSignIn>;

interface Dependencies {
  config: { notifyNewSignIn: boolean };
  mailBudget: Pick<MailBudget, 'mayTellSignIn'>;
  isFamiliarPlace: IsFamiliarPlace;
  mails: Pick<Outbox, 'isOn' | 'notify'>;
}

/** Tells users of a sign-in from a browser and a network that are both new, once an hour. */
export function createTellNewSignIn({ config, mailBudget, isFamiliarPlace, mails }: Dependencies) {
  return async (user: User, place: Place & { browser?: string | undefined }): Promise<void> => {
    if (!config.notifyNewSignIn || !mails.isOn || !user.emailVerified || !user.enabled || user.userType === 'Robot')
      return;
    if (await isFamiliarPlace(user, place)) return;
    if (await mailBudget.mayTellSignIn(user.id)) await mails.notify(user, 'new_sign_in', place);
  };
}
