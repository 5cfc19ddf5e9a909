import type { Clock } from '@gatehouse/service-kit';
import type { Metrics } from '@gatehouse/service-kit/metrics';
import { type KeySummary, keyStates } from './key-summary.ts';
import { signingAlgorithms } from './signing-key.ts';
import type { SigningKeys } from './signing-keys.ts';

/** Shows the keys to operators: how many in which state, how long each has signed, how long it is still shown. */
export function meterSigningKeys(signingKeys: SigningKeys, metrics: Metrics, clock: Clock): SigningKeys {
  const gaugeOfSigners = (name: string, help: string, measure: (key: KeySummary) => number) =>
    metrics.gauge({ name, help, labelNames: ['algorithm'] }, () => {
      const signing = signingKeys.summary().filter(({ state }) => state === 'signing');
      return signing.map((key) => [[key.algorithm], measure(key) / 1000]);
    });
  gaugeOfSigners(
    'gatehouse_signing_key_age_seconds',
    'Time since the key that signs began to sign',
    ({ signFrom }) => clock() - signFrom,
  );
  gaugeOfSigners(
    'gatehouse_signing_key_remaining_seconds',
    'Time for which the key that signs is still shown in the key set',
    ({ expiresAt }) => expiresAt - clock(),
  );
  const counted = { name: 'gatehouse_signing_keys', help: 'Keys in hand', labelNames: ['algorithm', 'state'] };
  metrics.gauge(counted, () => countKeys(signingKeys.summary()));
  return countReads(signingKeys, metrics);
}

/** With a zero for what is not there: an alarm needs something to look at. */
function countKeys(keys: readonly KeySummary[]) {
  return signingAlgorithms.flatMap((algorithm) =>
    keyStates.map((state) => {
      const count = keys.filter((key) => key.algorithm === algorithm && key.state === state).length;
      return [[algorithm, state], count] as const;
    }),
  );
}

function countReads(signingKeys: SigningKeys, metrics: Metrics): SigningKeys {
  const reads = metrics.counter({
    name: 'gatehouse_signing_key_reads_total',
    help: 'Readings of the signing keys from the database, by outcome',
    labelNames: ['outcome'],
  });
  for (const outcome of ['read', 'failed']) reads.add([outcome], 0);
  return {
    ...signingKeys,
    async load() {
      try {
        await signingKeys.load();
        reads.add(['read']);
      } catch (error) {
        reads.add(['failed']);
        throw error;
      }
    },
  };
}
