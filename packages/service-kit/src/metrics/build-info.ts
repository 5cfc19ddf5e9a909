import { readFileSync } from 'node:fs';
import type { Metrics } from './metrics.ts';

export interface BuildInfo {
  /** The name of the package without its scope: `auth-server`. */
  service: string;
  version: string;
}

/** Reads the name and the version of a service from its package.json. */
export function readBuildInfo(packageFile: URL): BuildInfo {
  const { name, version } = JSON.parse(readFileSync(packageFile, 'utf8')) as { name: string; version: string };
  return { service: name.slice(name.indexOf('/') + 1), version };
}

export function reportBuild(metrics: Metrics, { service, version }: BuildInfo): void {
  const definition = {
    name: 'gatehouse_build_info',
    help: 'Which service in which version runs; always 1',
    labelNames: ['service', 'version'],
  };
  metrics.gauge(definition, () => [[[service, version], 1]]);
}
