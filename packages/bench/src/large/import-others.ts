import { setTimeout as sleep } from 'node:timers/promises';
import type { Lab } from '../lab.ts';
import { exchange } from '../load/exchange.ts';
import { basic, buildRequest, type RequestParts } from '../load/load.ts';
import type { Stream } from '../load/streams.ts';
import { issueAccessTokens, userDetailsPath } from '../product/access-tokens.ts';

/** People who sign in again and again. */
const people = 300;
/** Milliseconds after which the network of one who signed in is known. */
const knownAfter = 5_000;
/** Sign-ins a second, and requests for details of users. */
const [signIns, details] = [10, 50];
/** One of so many sign-ins is by a hash that moved in. */
const eachMoved = 10;
export const movedStream = 'sign-in by bcrypt 12';

/** Ordinary users who sign in by their passwords, each from an address of their own, and callers who ask for details. */
export async function otherPeople(lab: Lab, leavesRoom: boolean): Promise<Stream[]> {
  const { product, population } = lab;
  const tokens = await issueAccessTokens(product.authServer.port, population.serviceClients);
  return [
    {
      name: 'sign-in',
      port: product.authServer.port,
      perSecond: leavesRoom ? signIns - signIns / eachMoved : signIns,
      requests: population.people
        .slice(0, people)
        .map(({ username }, index) => signInOf(lab, username, `10.0.${index >> 8}.${index & 255}`)),
    },
    {
      name: 'user details',
      port: product.orgApi.port,
      perSecond: details,
      requests: tokens.map((token, index) => ({
        path: userDetailsPath + encodeURIComponent(population.robots[index]?.username ?? ''),
        headers: { authorization: `Bearer ${token}` },
      })),
    },
  ];
}

/** Signs each of the ordinary users in, so that none of them is a stranger. */
export async function makeThemKnown(lab: Lab): Promise<void> {
  const [stream] = await otherPeople(lab, false);
  if (stream === undefined) return;
  await exchange(stream.port, stream.requests.map(buildRequest), 1);
  await sleep(knownAfter);
}

/** Users who come for the first time since they moved in: a name signs in by its imported hash once. */
export function movedPeople(lab: Lab, usernames: readonly string[]): Stream {
  return {
    name: movedStream,
    port: lab.product.authServer.port,
    perSecond: signIns / eachMoved,
    requests: usernames.map((username, index) => signInOf(lab, username, `10.1.${index >> 8}.${index & 255}`)),
  };
}

function signInOf({ population }: Lab, username: string, address: string): RequestParts {
  const { webClient, password } = population;
  return {
    path: '/oauth/token',
    headers: {
      authorization: basic(webClient),
      'content-type': 'application/x-www-form-urlencoded',
      'x-forwarded-for': address,
    },
    body: new URLSearchParams({ grant_type: 'password', username, password, scope: 'profile' }).toString(),
  };
}
