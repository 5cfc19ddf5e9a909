import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { readObject } from '../connection/send.ts';
import { StepError } from '../failures.ts';
import { bundleVersion } from './bundle-line.ts';
import { readLines } from './read-lines.ts';

/** A file of users, groups, clients and resources of one realm: JSON Lines, compressed where its name ends with `.gz`. */
export interface Bundle {
  path: string;
  /** Tells it from other bundles. */
  digest: string;
}

/** Checks the first line. Throws a StepError. */
export async function openBundle(path: string): Promise<Bundle> {
  for await (const { text = '' } of readLines(path)) {
    checkHead(path, text);
    return {
      path,
      digest: createHash('sha256')
        .update(`${statSync(path).size} ${text}`)
        .digest('base64url'),
    };
  }
  throw new StepError('bundle', `${path} is empty`);
}

function checkHead(path: string, text: string): void {
  const head = readObject(text);
  if (head?.kind !== 'bundle') {
    throw new StepError(
      'bundle',
      `${path}:1: is no bundle, which begins with {"kind":"bundle","version":${bundleVersion}`,
    );
  }
  if (head.version !== bundleVersion) {
    const found = JSON.stringify(head.version) ?? 'none';
    throw new StepError(
      'bundle',
      `${path}:1: is a bundle of version ${found}; this tool reads version ${bundleVersion}`,
    );
  }
}
