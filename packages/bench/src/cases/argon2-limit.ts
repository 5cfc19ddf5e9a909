import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Lab } from '../lab.ts';
import { readResult } from '../load/run-load.ts';
import { measureProcess } from '../measurement/measure.ts';
import type { Sample } from '../measurement/sample.ts';

const script = fileURLToPath(new URL('../servers/argon2-limit.js', import.meta.url));

/** Measures how many argon2id hashes the measured core verifies when it does nothing else. */
export function measureArgon2Limit(lab: Lab): Promise<Sample> {
  const child = spawn(process.execPath, [script, String(lab.options.seconds)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  lab.children.add(child);
  return measureProcess(lab, { pid: child.pid as number }, (observer) =>
    readResult(child, { onWindow: () => observer.begin(), onResult: () => observer.end() }),
  );
}
