/** A guide of docs/guides: its steps, and the client that it registers. A member that the client lacks is an empty text. */
export interface Guide {
  title: string;
  clientId: string;
  secret: string;
  redirectUri: string;
  /** The username of the Robot that a machine acts as. */
  robot: string;
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
  robot: string | undefined;
  issuer: string;
  baseUrl: string;
}

/** The code of a guide with the values of a client. A secret stands as `$CLIENT_SECRET`. */
export function fillGuide(guide: Guide, { clientId, redirectUri, robot, issuer, baseUrl }: GuideValues): GuideStep[] {
  const [shown, origin] = [guide.redirectUri, redirectUri].map(originOf);
  const replacements = [
    ['http://localhost:9000', issuer],
    ['http://localhost:9001', baseUrl],
    ...(guide.secret === '' ? [] : [[guide.secret, '"$CLIENT_SECRET"']]),
    [guide.clientId, clientId],
    ...(guide.robot === '' || robot === undefined ? [] : [[guide.robot, encodeURIComponent(robot)]]),
    // Of a private-use scheme there is no origin; a program at a loopback address takes any port.
    ...(shown === undefined || origin === undefined ? [] : [[shown, origin]]),
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
