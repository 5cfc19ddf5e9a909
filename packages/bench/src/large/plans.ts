import { explain, type QueryPlan, startStatementRecorder } from '@gatehouse/test-kit';
import type { Lab } from '../lab.ts';
import { exchange } from '../load/exchange.ts';
import { buildFormRequest, buildRequest } from '../load/load.ts';
import { buildUserRequests, issueAccessTokens, userDetailsPath } from '../product/access-tokens.ts';
import { insertCodes, insertRefreshTokens } from '../product/grant-rows.ts';
import { startProduct } from '../product/product.ts';
import type { CaseResult } from '../report/case-result.ts';

/** The plans of the hot paths' statements. Each must use an index. */
export async function showPlans(lab: Lab): Promise<CaseResult> {
  const plans = await explainHotPaths(lab);
  return {
    table: `\`\`\`\n${plans.map(describePlan).join('\n')}\n\`\`\``,
    goals: [],
    bars: { unit: '', values: [] },
    measured: plans,
    valid: plans.every(({ usesIndexes }) => usesIndexes),
  };
}

/** Shows the plan of every statement that a request of each hot path sends, on the databases of the lab. */
async function explainHotPaths(lab: Lab): Promise<QueryPlan[]> {
  const { auth, org } = lab.databaseUrls;
  const recorders = { auth: await startStatementRecorder(auth), org: await startStatementRecorder(org) };
  try {
    const databases = { 'auth-server': recorders.auth.url, 'org-api': recorders.org.url };
    const keyEncryptionKey = lab.product.keyEncryptionKey;
    const product = await startProduct({ databases, children: lab.children, keyEncryptionKey });
    recorders.auth.take();
    recorders.org.take();
    await sendOneOfEach({ ...lab, product }).finally(product.stop);
    const plans = await Promise.all([explain(auth, recorders.auth.take()), explain(org, recorders.org.take())]);
    return withoutRepeats(plans.flat());
  } finally {
    await recorders.auth.close();
    await recorders.org.close();
  }
}

async function sendOneOfEach({ product, population, writers }: Lab): Promise<void> {
  const { authServer, orgApi } = product;
  const { serviceClients, robots, webClient } = population;
  const client = serviceClients.slice(0, 1);
  const one = { count: 1, scope: 'profile email' } as const;
  const [refreshToken = ''] = await insertRefreshTokens(writers.auth, population, one);
  const [code] = await insertCodes(writers.auth, population, one);
  const tokens = await issueAccessTokens(authServer.port, client);
  const [caller = webClient] = client;
  await exchange(authServer.port, [
    buildFormRequest('/oauth/token', webClient, { grant_type: 'refresh_token', refresh_token: refreshToken }),
    buildFormRequest('/oauth/token', webClient, {
      grant_type: 'authorization_code',
      code: code?.code ?? '',
      code_verifier: code?.codeVerifier ?? '',
      redirect_uri: webClient.redirectUri,
    }),
    buildFormRequest('/oauth/introspect', caller, { token: tokens[0] ?? '' }),
  ]);
  await exchange(orgApi.port, buildUserRequests(userDetailsPath, tokens, robots));
  await exchange(orgApi.port, [buildRequest({ path: '/health/ready' })]);
}

/** Keeps one statement of each shape, whatever its values are. */
function withoutRepeats(plans: readonly QueryPlan[]): QueryPlan[] {
  const shapes = new Map(plans.map((plan) => [shapeOf(plan.statement), plan]));
  return [...shapes].map(([statement, plan]) => ({ ...plan, statement }));
}

function shapeOf(statement: string): string {
  return statement
    .replace(/x?'(?:[^'\\]|\\.|'')*'/gi, '?')
    .replace(/\b\d+\b/g, '?')
    .replace(/\s+/g, ' ')
    .trim();
}

function describePlan({ statement, tables, usesIndexes }: QueryPlan): string {
  const reads = tables.map(({ table, type, key, rows, Extra }) =>
    [table ?? '-', type ?? '-', `index ${key ?? '-'}`, `${rows ?? 0} rows`, Extra ?? ''].join(', '),
  );
  return `${usesIndexes ? '' : 'NO INDEX: '}${statement}\n    ${reads.join('\n    ')}`;
}
