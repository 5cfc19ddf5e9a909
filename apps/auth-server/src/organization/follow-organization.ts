import type { Metrics } from '@gatehouse/service-kit/metrics';
import type { Tracing } from '@gatehouse/service-kit/tracing';
import { directoryPaths } from '@gatehouse/shared';

/** Seconds; org-api has 8 to answer. */
const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export type DirectoryPath = (typeof directoryPaths)[keyof typeof directoryPaths];

const routes: Readonly<Record<DirectoryPath, string>> = {
  [directoryPaths.passwordChecks]: 'password_checks',
  [directoryPaths.userQueries]: 'user_queries',
  [directoryPaths.settings]: 'settings',
  [directoryPaths.codeChecks]: 'code_checks',
  [directoryPaths.passkeyChecks]: 'passkey_checks',
  [directoryPaths.methodQueries]: 'method_queries',
  [directoryPaths.methodChanges]: 'method_changes',
  [directoryPaths.accountData]: 'account_data',
  [directoryPaths.profileChanges]: 'profile_changes',
  [directoryPaths.linkRequests]: 'link_requests',
  [directoryPaths.linkUses]: 'link_uses',
  [directoryPaths.findings]: 'findings',
  [directoryPaths.upstreamSignIns]: 'upstream_sign_ins',
};

/** Watches one call to the organization. */
export type FollowCall = <Answer>(path: DirectoryPath, call: () => Promise<Answer>) => Promise<Answer>;

/** Measures each call to the organization, and makes it a span where tracing is on. */
export function createFollowCall({ metrics, tracing }: { metrics: Metrics; tracing: Tracing | undefined }): FollowCall {
  const durations = metrics.histogram({
    name: 'gatehouse_organization_request_duration_seconds',
    help: 'Time that calls to org-api took, by route and outcome',
    labelNames: ['route', 'outcome'],
    buckets,
  });
  return async (path, call) => {
    const startedAt = performance.now();
    let outcome = 'failed';
    try {
      const answer = await (tracing === undefined ? call() : tracing.inSpan(describeCall(path), call));
      outcome = 'answered';
      return answer;
    } finally {
      durations.observe([routes[path], outcome], (performance.now() - startedAt) / 1000);
    }
  };
}

function describeCall(path: DirectoryPath) {
  const attributes = { 'http.request.method': 'POST', 'url.template': path };
  return { name: `POST ${path}`, kind: 'client', attributes } as const;
}
