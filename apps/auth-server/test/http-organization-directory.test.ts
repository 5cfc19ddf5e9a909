import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createHttpOrganizationDirectory } from '../src/organization/http-organization-directory.ts';
import {
  type OrganizationDirectory,
  OrganizationUnavailableError,
} from '../src/organization/organization-directory.ts';

describe('asking org-api', () => {
  let server: Server;
  let directory: OrganizationDirectory;
  /** Requests that are still to be met with a connection that breaks. */
  let breaking: number;
  let asked: number;
  beforeEach(async () => {
    asked = 0;
    server = createServer((request, response) => {
      asked += 1;
      breaking -= 1;
      if (breaking >= 0) request.socket.destroy();
      else response.setHeader('content-type', 'application/json').end('{"users":[]}');
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    directory = createHttpOrganizationDirectory({
      url: `http://127.0.0.1:${port}`,
      ca: undefined,
      issueServiceToken: () => 'token',
      traceHeaders: () => ({}),
      followCall: (_path, call) => call(),
    });
  });
  afterEach(async () => {
    await directory.close();
    server.close();
  });

  const origin = { address: '127.0.0.1', requestId: 'request' };
  const find = () => directory.findUserById('id', origin);

  it('is tried once more where the connection broke, as it does when a replica stops', async () => {
    breaking = 1;
    expect([await find(), asked]).toEqual([undefined, 2]);
  });

  it('is given up where it breaks again', async () => {
    breaking = 2;
    await expect(find()).rejects.toThrow(OrganizationUnavailableError);
    expect(asked).toBe(2);
  });

  it('checks a password only once, because a check that broke off may have counted as a guess', async () => {
    breaking = 1;
    const credentials = { username: 'ada@example.com', password: 'a guess', clientId: 'my-app' };
    await expect(directory.checkPassword(credentials, origin)).rejects.toThrow(OrganizationUnavailableError);
    expect(asked).toBe(1);
  });
});
