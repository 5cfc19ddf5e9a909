import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';

/** The names of files in `assets/`, as the build says them. */
export interface ConsoleManifest {
  main: string;
  style: string;
  /** Scripts that the main one imports at once. */
  preload: string[];
}

export interface ConsoleAsset {
  type: string;
  bytes: Buffer;
  encoding: 'br' | 'gzip' | undefined;
}

/** The types of the files that pages may load. */
const types: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
};
/** The endings of the precompressed files, the smallest first. */
const encodings = [
  { encoding: 'br', ending: '.br' },
  { encoding: 'gzip', ending: '.gz' },
] as const;
/** Of one file in the folder. */
const assetName = /^[\w-]+(\.[\w-]+)*$/;

export type ConsoleFiles = ReturnType<typeof createConsoleFiles>;

/** Reads the built console from disk: browsers keep what they loaded, so this process keeps nothing. Throws where it is not built. */
export function createConsoleFiles(folder: URL) {
  const manifest = new URL('manifest.json', folder);
  if (!existsSync(manifest)) {
    throw new Error(`the console is not built: there is no ${manifest.pathname}; npm run build makes it`);
  }
  return {
    readManifest: async () => JSON.parse(await readFile(manifest, 'utf8')) as ConsoleManifest,
    readStart: () => readFile(new URL('start.js', folder)),
    /** The file in an encoding that the browser takes (RFC 9110 12.5.3); undefined where there is none of this name. */
    async findAsset(name: string, acceptEncoding: string | undefined): Promise<ConsoleAsset | undefined> {
      const type = types[extname(name)];
      if (type === undefined || !assetName.test(name)) return undefined;
      const accepted = listAccepted(acceptEncoding);
      for (const { encoding, ending } of encodings) {
        const bytes = accepted.has(encoding) ? await findFile(new URL(`assets/${name}${ending}`, folder)) : undefined;
        if (bytes !== undefined) return { type, bytes, encoding };
      }
      const bytes = await findFile(new URL(`assets/${name}`, folder));
      return bytes && { type, bytes, encoding: undefined };
    },
  };
}

async function findFile(file: URL): Promise<Buffer | undefined> {
  try {
    return await readFile(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** The codings that a header names without refusing them. */
function listAccepted(header = ''): Set<string> {
  const named = header.split(',').map((one) => /^\s*([\w-]+)\s*(?:;\s*q=([\d.]+)\s*)?$/i.exec(one));
  const accepted = named.filter((match) => match !== null && Number(match[2] ?? 1) > 0);
  return new Set(accepted.map((match) => String(match?.[1]).toLowerCase()));
}
