import type { Clock } from '@gatehouse/service-kit';
import type { KeySummary } from '../../keys/key-summary.ts';
import type { Find, Finding, FindingKind } from './finding.ts';

/** Milliseconds. */
const day = 86_400_000;
const oldAfter = 90 * day;
/** Before the end of a key that no other one follows. */
const toldBefore = 30 * day;

interface Dependencies {
  signingKeys: { summary(): KeySummary[] };
  clock: Clock;
}

/** The finders of what is to be said about the keys that sign. */
export function createKeyFindings({ signingKeys, clock }: Dependencies): Find[] {
  const listSigning = () => signingKeys.summary().filter(({ state }) => state === 'signing');
  const isFollowed = ({ algorithm, expiresAt }: KeySummary) =>
    signingKeys
      .summary()
      .some((key) => key.state === 'waiting' && key.algorithm === algorithm && key.signFrom < expiresAt);
  return [
    () => {
      const old = listSigning().filter((key) => key.signFrom <= clock() - oldAfter && !isFollowed(key));
      return describe('key_old', old, ['has signed for 90 days or more', 'have signed for 90 days or more']);
    },
    () => {
      const ending = listSigning().filter((key) => key.expiresAt < clock() + toldBefore && !isFollowed(key));
      const rest = 'the key set within 30 days, and no key follows';
      return describe('key_ending', ending, [`leaves ${rest}`, `leave ${rest}`]);
    },
  ];
}

function describe(kind: FindingKind, keys: readonly KeySummary[], says: readonly [string, string]): Finding[] {
  const names = keys.map(({ algorithm }) => algorithm).join(' and ');
  const [only, ...others] = keys;
  const common = { kind, count: keys.length, isExact: true, path: '/keys' };
  if (only === undefined) return [];
  if (others.length === 0) return [{ ...common, subject: only.kid, text: `The ${names} key ${says[0]}.` }];
  return [{ ...common, text: `The ${names} keys ${says[1]}.` }];
}
