import type { FastifyInstance } from 'fastify';
import type { Clients } from '../clients/room.ts';
import type { Config } from '../config.ts';
import type { Tokens } from '../tokens/room.ts';
import { registerConsole } from './console-endpoint.ts';
import { createConsoleFiles } from './console-files.ts';
import { findConsolePlace } from './console-place.ts';

interface Needs {
  config: Config;
  /** The folder of the built files; undefined where there are none, and no console then. */
  consoleFiles: URL | undefined;
  clients: Clients;
  tokens: Tokens;
}

/** The console of administrators: its page, and the files that it is made of. */
export function createConsole({ config, consoleFiles, clients, tokens }: Needs) {
  const { consoleUrl } = config;
  const deps =
    consoleUrl === undefined || consoleFiles === undefined
      ? undefined
      : {
          config: { ...config, consoleUrl },
          place: findConsolePlace({ ...config, consoleUrl }),
          files: createConsoleFiles(consoleFiles),
          ...clients,
          ...tokens,
        };
  return {
    rewriteUrl: deps?.place.rewriteUrl,
    routes: {
      pages(scope: FastifyInstance) {
        if (deps !== undefined) registerConsole(scope, deps);
      },
    },
  };
}
