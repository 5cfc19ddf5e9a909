import { consolePaths } from '@gatehouse/shared';

interface Addresses {
  authUrl: string;
  baseUrl: string;
  consoleUrl: string;
}

/**
 * The content security policy of the console (CSP 3). Its scripts are its own files and call what it needs alone, path by path: no
 * script that got into it reaches the pages of people at the same origin.
 */
export function buildConsolePolicy(addresses: Addresses): string {
  const assets = `${addresses.consoleUrl}/assets/`;
  const sources = {
    'script-src': [`${addresses.consoleUrl}/start.js`, assets],
    'style-src': [assets],
    'img-src': ['blob:', assets],
    'connect-src': listCalled(addresses),
  };
  return [
    "default-src 'none'",
    ...Object.entries(sources).map(([name, list]) => `${name} ${list.map(escapeSource).join(' ')}`),
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');
}

/** A path without a slash at its end stands for itself, one with it for all below (CSP 3, 6.7.2.12). */
function listCalled({ authUrl, baseUrl, consoleUrl }: Addresses): string[] {
  const withBelow = (path: string) => [path, `${path}/`];
  const { authServer, orgApi } = consolePaths;
  const ofAuthServer = [...authServer.administration.flatMap(withBelow), ...authServer.state];
  const ofOrgApi = [...orgApi.administration.flatMap(withBelow), ...orgApi.state];
  return [
    `${consoleUrl}/settings.json`,
    ...['/oauth/token', '/oauth/revoke', ...ofAuthServer].map((path) => authUrl + path),
    ...ofOrgApi.map((path) => baseUrl + path),
  ];
}

/** CSP 3, 2.3.1: these two would end the directive, or the policy. */
function escapeSource(source: string): string {
  return source.replaceAll(';', '%3B').replaceAll(',', '%2C');
}
