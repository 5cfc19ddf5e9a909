import type { Turn } from '@gatehouse/service-kit';
import type { CheckGuess } from '@gatehouse/service-kit/guess-limit';
import { ProblemError } from '@gatehouse/shared';
import type { Author } from './administrator.ts';

/**
 * Whether a secret that an administrator asks for is the one of `owner`; throws 429. A wrong one counts as a guess of the
 * administrator, never as one of its owner.
 */
export async function countSecretCheck(
  checkGuess: CheckGuess,
  { administrator, context }: Author,
  { owner, secret }: { owner: string; secret: string },
  matches: (turn: Turn) => Promise<boolean>,
): Promise<boolean> {
  const guess = {
    subject: `client secrets, by ${administrator.user.id}`,
    address: context.address,
    secret: `${owner} ${secret}`,
  };
  const { outcome, ...rest } = await checkGuess(guess, async (turn) =>
    (await matches(turn)) ? 'unfinished' : 'wrong',
  );
  if ('retryAfter' in rest) {
    const detail = `too many wrong secrets; try again in ${rest.retryAfter} seconds`;
    throw new ProblemError(429, detail, { retryAfter: rest.retryAfter });
  }
  return outcome === 'unfinished';
}
