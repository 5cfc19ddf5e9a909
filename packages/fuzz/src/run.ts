import type { ServiceName } from '@gatehouse/test-kit';
import { Pool } from 'undici';
import type { FuzzRequest } from './fuzz-request.ts';
import type { FuzzedGatehouse } from './fuzzed-gatehouse.ts';
import { createGenerator } from './generate.ts';
import type { Ingredients } from './ingredients.ts';
import { learn, learnLinks } from './learn.ts';
import { listFaults } from './logged-faults.ts';
import { watchMemory } from './memory.ts';
import { listOperations } from './operations.ts';
import { prepareIngredients } from './prepare-ingredients.ts';
import { createRandom } from './random.ts';
import { createTally } from './tally.ts';

/** Milliseconds within which there has to be an answer. */
const patience = 10_000;
/** Requests after which tokens, pages and victims are new: many of them are used up by then. */
const roundLength = 5_000;

interface RunOptions {
  gatehouse: FuzzedGatehouse;
  requests: number;
  seed: number;
  connections: number;
  /** Is told how many requests are done, now and then. */
  onProgress(done: number): void;
}

/** Sends generated requests to both services; gives what there is to say, and whether nothing was wrong. */
export async function runFuzz({ gatehouse, requests, seed, connections, onProgress }: RunOptions) {
  const urls = { 'auth-server': gatehouse.authUrl, 'org-api': gatehouse.baseUrl };
  const operations = await listOperations(urls);
  const send = createSender(urls, connections);
  const tally = createTally(operations);
  const memory = {
    'auth-server': await watchMemory(gatehouse.authServer.pid),
    'org-api': await watchMemory(gatehouse.orgApi.pid),
  };
  const random = createRandom(seed);

  let done = 0;
  const work = async (ingredients: Ingredients, generate: ReturnType<typeof createGenerator>, end: number) => {
    while (done < end) {
      done += 1;
      const request = generate(addressOf(done));
      try {
        const answer = await send(request);
        tally.answered(request, answer);
        learn(ingredients, request, answer);
        for (const mail of gatehouse.takeMails()) learnLinks(ingredients, mail);
      } catch (error) {
        tally.unanswered(request, error instanceof Error ? error.message : String(error));
      }
    }
  };
  for (let round = 0; done < requests; round += 1) {
    const ingredients = await prepareIngredients(gatehouse, round, gatehouse.serviceKey);
    const generate = createGenerator(random, operations, ingredients);
    const end = Math.min(requests, done + roundLength);
    await Promise.all(Array.from({ length: connections }, () => work(ingredients, generate, end)));
    onProgress(done);
  }
  const used = { 'auth-server': await memory['auth-server'].stop(), 'org-api': await memory['org-api'].stop() };
  await send.close();
  return tally.report(used, listFaults(gatehouse.output()));
}

/** Most requests come from an address of their own: guesses and budgets are counted by address. */
function addressOf(count: number): string {
  const host = count % 50 === 0 ? count % 5 : count;
  return `10.${(host >> 16) & 255}.${(host >> 8) & 255}.${host & 255}`;
}

function createSender(urls: Record<ServiceName, string>, connections: number) {
  const options = { connections, headersTimeout: patience, bodyTimeout: patience };
  const pools = {
    'auth-server': new Pool(urls['auth-server'], options),
    'org-api': new Pool(urls['org-api'], options),
  };
  const send = async ({ service, method, path, headers, body }: FuzzRequest) => {
    const {
      statusCode,
      headers: given,
      body: sent,
    } = await pools[service].request({
      method: method as 'GET',
      path,
      headers,
      ...(body === '' ? {} : { body }),
    });
    return { status: statusCode, headers: given, text: await sent.text() };
  };
  const close = () => Promise.all([pools['auth-server'].close(), pools['org-api'].close()]);
  return Object.assign(send, { close });
}
