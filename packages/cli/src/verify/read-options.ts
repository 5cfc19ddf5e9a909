import type { Call } from '../command.ts';
import { readIssuer } from '../connection/discover.ts';
import { UsageError } from '../failures.ts';
import type { Severity } from './checks.ts';

export interface VerifyOptions {
  /** Byte for byte as it was given: it is compared so. */
  issuer: string;
  api: string | undefined;
  clientId: string | undefined;
  redirectUri: string | undefined;
  deployment: boolean;
  /** Milliseconds. */
  watch: number | undefined;
  failOn: Severity;
  report: string | undefined;
  /** Seconds. */
  timeout: number;
}

/** Throws a UsageError. */
export function readOptions({ args: [issuer = ''], options }: Call): VerifyOptions {
  const insecureHttp = options['insecure-http'] === true;
  readIssuer(issuer, { insecureHttp });
  const text = (name: string) => (typeof options[name] === 'string' ? options[name] : undefined);
  const [api, clientId, redirectUri, watch] = [text('api'), text('client-id'), text('redirect-uri'), text('watch')];
  const { 'fail-on': failOn = 'warning', deployment = false, timeout = '10' } = options;
  if (failOn !== 'error' && failOn !== 'warning') throw new UsageError('--fail-on takes error or warning');
  if (redirectUri !== undefined && clientId === undefined) throw new UsageError('--redirect-uri needs --client-id');
  if (redirectUri !== undefined && !URL.canParse(redirectUri)) throw new UsageError('--redirect-uri takes an address');
  if (api !== undefined && deployment !== true) throw new UsageError('--api needs --deployment');
  if (api !== undefined) readIssuer(api, { insecureHttp });
  return {
    ...{ issuer, api, clientId, redirectUri, failOn, deployment: deployment === true },
    ...{ watch: watch === undefined ? undefined : readDuration(watch), report: text('report') },
    timeout: Number(timeout),
  };
}

const unitsOf: Record<string, number> = { s: 1_000, m: 60_000, h: 3_600_000 };

function readDuration(text: string): number {
  const [, count, unit = ''] = /^([1-9]\d{0,5})([smh])$/.exec(text) ?? [];
  if (count === undefined) throw new UsageError('--watch takes a duration such as 90s, 30m or 24h');
  return Number(count) * (unitsOf[unit] ?? 0);
}
