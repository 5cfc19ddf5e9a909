import { parseDatabaseUrl } from '@gatehouse/service-kit/database';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { createPool, type Pool } from 'mysql2/promise';
import { createBatchSigner } from './batch-signer.ts';
import { exchangeCode, type Pools, refresh } from './product-statements.ts';
import { buildClaims, readBasic } from './token-routes.ts';

/**
 * A token endpoint that sends the product's statements to the product's databases and checks nothing; under `/signed/`
 * it signs an access token as well. It runs on MySQL and MariaDB only.
 */
export function registerStatementRoutes(app: FastifyInstance): void {
  const { AUTH_DATABASE_URL: authUrl, ORG_DATABASE_URL: orgUrl } = process.env;
  if (authUrl === undefined || orgUrl === undefined) return;
  const pools: Pools = { auth: openPool(authUrl), org: openPool(orgUrl) };
  const signInBatch = createBatchSigner();

  const answer = async (request: FastifyRequest, signs: boolean) => {
    const { clientId } = readBasic(request.headers.authorization ?? '');
    const refreshToken = await sendStatements(pools, request.body as TokenForm);
    const accessToken = signs ? await signInBatch(buildClaims(clientId, 'profile email')) : 'x'.repeat(600);
    return { access_token: accessToken, token_type: 'Bearer', expires_in: 1800, refresh_token: refreshToken };
  };
  app.post('/statements', (request) => answer(request, false));
  app.post('/signed/statements', (request) => answer(request, true));
}

interface TokenForm {
  refresh_token?: string;
  code?: string;
}

function sendStatements(pools: Pools, { refresh_token: token, code }: TokenForm): Promise<string> {
  return token === undefined ? exchangeCode(pools, code ?? '') : refresh(pools, token);
}

function openPool(url: string): Pool {
  const server = parseDatabaseUrl(url);
  if (server.dialect !== 'mysql') throw new Error('a MySQL database is needed');
  const { host, port, user, password, database } = server;
  return createPool({ host, port, user, password, database, connectionLimit: 10, supportBigNumbers: true });
}
