import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';

/** Milliseconds a start may take, on a machine that has other things to do. */
const readyWithin = 60_000;

/** Resolves once the service is ready or `isEnding`; with one line where it is not ready in time. */
export async function waitUntilReady(name: string, url: string, isEnding: () => boolean): Promise<string | undefined> {
  const deadline = Date.now() + readyWithin;
  for (;;) {
    const fault = await findFault(url);
    if (fault === undefined || isEnding()) return undefined;
    if (Date.now() > deadline) return `${name} is not ready at ${url}: ${fault}`;
    await sleep(50);
  }
}

async function findFault(url: string): Promise<string | undefined> {
  try {
    const { statusCode, body } = await request(`${url}/health/ready`);
    const text = await body.text();
    return statusCode === 200 ? undefined : text.trim();
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'out of reach';
  }
}
