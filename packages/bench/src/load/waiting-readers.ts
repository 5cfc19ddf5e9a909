import { Agent } from 'undici';
import { awaitStatusList, readStatusList } from './waiting-reader.ts';

/*
 * Readers of a status list, run as a process: `node waiting-readers.js <url> <count>`. Each has an address of its own, and
 * waits again and again for the list to change. Writes how many answers there were of each kind, and ends, at SIGTERM.
 */

const [url = '', count = ''] = process.argv.slice(2);
const dispatcher = new Agent({ headersTimeout: 60_000, keepAliveTimeout: 60_000 });
const answers = new Map<string, number>();

process.once('SIGTERM', () => {
  process.stdout.write(`${JSON.stringify(Object.fromEntries(answers))}\n`, () => process.exit(0));
});
await Promise.all(Array.from({ length: Number(count) }, (_, host) => readAgainAndAgain(host)));

async function readAgainAndAgain(host: number): Promise<void> {
  const options = { dispatcher, address: `198.18.${host >> 8}.${host & 255}` };
  let inHand = await readStatusList(url, options);
  for (;;) {
    inHand = await awaitStatusList(url, inHand, options);
    const kind = `${inHand.status}${inHand.waited ? '' : ' at once'}`;
    answers.set(kind, (answers.get(kind) ?? 0) + 1);
  }
}
