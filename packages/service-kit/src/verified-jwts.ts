import { LRUCache } from 'lru-cache';

/** Gives what a JWT says; undefined where it is not one that is in force. */
export type VerifyToken<Verified> = (token: string) => Promise<Verified | undefined>;

interface VerifiedJwtsOptions<Verified> {
  verify: VerifyToken<Verified>;
  /** Whether what was verified once would be verified now: not expired, its key not withdrawn. */
  stillStands(verified: Verified): boolean;
  /** Characters of tokens that are remembered. */
  remembered: number;
}

/**
 * A token that was verified is not verified again as long as it stands: neither what it says nor who signed it can
 * change. Whatever can change, as the state of its user, is not remembered here.
 */
export function rememberVerified<Verified extends object>(
  options: VerifiedJwtsOptions<Verified>,
): VerifyToken<Verified> {
  const { verify, stillStands, remembered } = options;
  const verified = new LRUCache<string, Verified>({
    maxSize: remembered,
    sizeCalculation: (_verified, token) => token.length,
  });
  return async (token) => {
    const known = verified.get(token);
    if (known !== undefined && stillStands(known)) return known;
    const result = await verify(token);
    if (result === undefined) verified.delete(token);
    else verified.set(token, result);
    return result;
  };
}
