import type { GuideStep } from '../clients/fill-guide.ts';

interface ApiValues {
  issuer: string;
  audience: string;
  /** Undefined where the API has none. */
  scope: string | undefined;
}

/** The code of a guide with the values of an API, in the place of those of its pages and examples. */
export function fillApiGuide(steps: readonly GuideStep[], { issuer, audience, scope }: ApiValues): GuideStep[] {
  const values: Readonly<Record<string, string>> = {
    ...{ 'https://auth.example.com': issuer, 'http://localhost:9000': issuer },
    ...{ 'https://orders.example.com': audience, 'http://localhost:3000': audience },
    ...(scope !== undefined && { 'orders:read': scope }),
  };
  // All at once: a value may look like one that is replaced.
  const found = new RegExp(Object.keys(values).join('|'), 'g');
  return steps.map((step) => ({ ...step, code: step.code.replace(found, (each) => values[each] ?? each) }));
}
