import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { findAccess } from '../src/connection/access.ts';
import { createSend } from '../src/connection/send.ts';

describe('requests at the same moment', () => {
  it.each([3600, 0])('share the token that they wait for, of %s seconds', async (lifetime) => {
    const tokens: string[] = [];
    const server = createServer((request, response) => {
      request.resume();
      if (request.url !== '/token') return response.end(request.headers.authorization);
      tokens.push(`token-${tokens.length + 1}`);
      const answer = { access_token: tokens.at(-1), token_type: 'DPoP', expires_in: lifetime };
      return setTimeout(() => response.end(JSON.stringify(answer)), 20);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const installation = {
      ...{ issuer, orgApi: issuer, authorizationEndpoint: issuer, tokenEndpoint: `${issuer}/token` },
      ...{ revocationEndpoint: issuer, deviceAuthorizationEndpoint: issuer },
    };
    const environment = { GATEHOUSE_CLIENT_ID: 'machine', GATEHOUSE_CLIENT_SECRET: 'of the test' };
    const send = findAccess(environment, installation, createSend({ timeout: 10, note: () => undefined }));
    const ask = async () => (await send('test', `${issuer}/api`, { method: 'GET' })).text;
    try {
      expect(await Promise.all([ask(), ask(), ask()])).toEqual(Array(3).fill('DPoP token-1'));
      const next = lifetime === 0 ? 'DPoP token-2' : 'DPoP token-1';
      expect(await Promise.all([ask(), ask()])).toEqual([next, next]);
    } finally {
      server.close();
    }
  });
});
