/** A guide of docs/guides: its steps, and the client that it registers. */
export interface Guide {
  title: string;
  clientId: string;
  secret: string;
  redirectUri: string;
  steps: readonly GuideStep[];
}

export interface GuideStep {
  /** Of a file; a command has none. */
  path?: string;
  language: string;
  code: string;
}

export interface GuideValues {
  clientId: string;
  redirectUri: string | undefined;
  issuer: string;
  baseUrl: string;
}

/** The code of a guide with the values of a client. A secret stands as `$CLIENT_SECRET`. */
export function fillGuide(guide: Guide, { clientId, redirectUri, issuer, baseUrl }: GuideValues): GuideStep[] {
  const origin = originOf(redirectUri);
  const replacements = [
    ['http://localhost:9000', issuer],
    ['http://localhost:9001', baseUrl],
    ...(guide.secret === '' ? [] : [[guide.secret, '"$CLIENT_SECRET"']]),
    [guide.clientId, clientId],
    // Of a private-use scheme there is no origin; a program at a loopback address takes any port.
    ...(origin === undefined ? [] : [[new URL(guide.redirectUri).origin, origin]]),
  ] as const;
  return guide.steps.map((step) => ({
    ...step,
    code: replacements.reduce((code, [from = '', to = '']) => code.replaceAll(from, () => to), step.code),
  }));
}

function originOf(uri: string | undefined): string | undefined {
  const origin = uri === undefined ? undefined : URL.parse(uri)?.origin;
  return origin === 'null' ? undefined : origin;
}
