import type { AuditEntry, AuditParty } from '@gatehouse/service-kit/audit';
import { levels } from '@gatehouse/shared';
import { describeClaim, describeClaimedUser, describeClient, describeUser } from './audit-party.ts';
import type {
  AdministratorFacts,
  AdministratorRefused,
  BrowserRemembered,
  ClientAdministered,
  ClientFacts,
  ClientKept,
  ClientRefused,
  ConsentDecided,
  ConsentTaken,
  DataDownloaded,
  DeviceDecided,
  DynamicClientChanged,
  Fact,
  GrantEnded,
  GrantReplayed,
  InitialTokenAdministered,
  IssuerAdministered,
  KeysRotated,
  PasskeyRefused,
  PasswordChecked,
  RecordedFact,
  RefreshTokenRepeated,
  ResourceAdministered,
  SecondStepChecked,
  SessionEnded,
  SignedOut,
  SignInCompleted,
  TokenRevoked,
  UpstreamAdministered,
  UpstreamRefused,
  UserKept,
  UserNotLetIn,
} from './event.ts';

/** Builds the audit entry of a fact that is told; undefined where the fact has none. docs/operations/audit.md lists the entries. */
export function buildToldEntry(fact: Fact): AuditEntry | undefined {
  switch (fact.type) {
    case 'client.refused':
      return describeRefusedClient(fact);
    case 'password.checked':
      return describeSignIn(fact);
    case 'second_step.checked':
      return describeSecondStep(fact);
    case 'passkey.refused':
      return describeRefusedPasskey(fact);
    case 'sign_in.completed':
      return describeCompletedSignIn(fact);
    case 'groups_claim.ignored': {
      const { type, upstream, clientId, context } = fact;
      return { type, actor: { kind: 'anonymous' }, clientId, details: { upstream }, context };
    }
    case 'upstream.refused':
      return describeRefusedUpstream(fact);
    case 'user.not_let_in':
      return describeNotLetIn(fact);
    case 'administrator.refused':
      return describeRefusedAdministrator(fact);
    case 'client.kept':
      return describeKeptClient(fact);
    case 'user.kept':
      return describeKeptUser(fact);
    case 'grant.replayed':
      return describeReplay(fact);
    case 'refresh_token.repeated':
      return { ...describeGrant(fact, { by: fact.by }), type: 'refresh_token.repeated' };
    case 'token.revoked':
      return describeRevocation(fact);
    case 'signed_out':
      return describeSignOut(fact);
    case 'token.answered':
    case 'session.answered':
    case 'access_token.refused':
    case 'user_code.refused':
      return undefined;
  }
}

/** Builds the audit entry of a fact that is recorded: each has one. */
export function buildRecordedEntry(fact: RecordedFact): AuditEntry {
  if (fact.type === 'keys.rotated') return describeRotation(fact);
  if (fact.type === 'grant.ended') return describeEndedGrant(fact);
  if (fact.type === 'consent.withdrawn' && 'administrator' in fact) return describeTakenConsent(fact);
  if ('grantId' in fact) return describeDeviceDecision(fact);
  if ('sessionId' in fact) return describeEndedSession(fact);
  if ('browserId' in fact) return describeRememberedBrowser(fact);
  if (fact.type === 'data.downloaded') return describeDownload(fact);
  if ('by' in fact) return describeDynamicClient(fact);
  if (!('administrator' in fact)) return describeConsent(fact);
  if ('initialTokenId' in fact) return describeInitialToken(fact);
  if ('issuer' in fact) return describeIssuerAdministration(fact);
  if ('upstream' in fact) return describeUpstreamAdministration(fact);
  return 'resource' in fact ? describeResourceAdministration(fact) : describeAdministration(fact);
}

/** A refused administrator is one event. A guess that the limit refuses has none: the guesses before it have events. */
function describeRefusedClient({ place, why, client, method, context }: ClientRefused): AuditEntry | undefined {
  if (place === 'administration' || why === 'limited') return undefined;
  return {
    type: 'client_authentication.refused',
    // A client_id that no client has is not repeated: the text may be a secret.
    reason: client === undefined ? 'unknown_client' : clientReasons[why],
    actor: { kind: 'anonymous' },
    subject: client && describeClient(client),
    clientId: client?.clientId,
    details: { method },
    context,
  };
}

const clientReasons = { wrong_credentials: 'wrong_credentials', disabled: 'client_disabled' } as const;

function describeSignIn({ place, outcome, claimed, clientId, context }: PasswordChecked): AuditEntry | undefined {
  if (place === 'administration' || outcome === 'limited' || outcome === 'unavailable') return undefined;
  // The page asks for the second step; the grant type cannot.
  if (place === 'sign_in_page' && outcome === 'unfinished') return undefined;
  const user = describeClaimedUser(claimed);
  const common = { clientId, details: { by: place }, context };
  if (outcome === 'right') {
    const details = { by: place, acr: levels[0] };
    return { ...common, type: 'sign_in.succeeded', actor: user, subject: user, details };
  }
  return {
    ...common,
    type: 'sign_in.refused',
    reason: signInReasons[outcome],
    actor: { kind: 'anonymous' },
    subject: user,
  };
}

const signInReasons = {
  wrong: 'wrong_credentials',
  disabled: 'user_disabled',
  unfinished: 'second_step_due',
} as const;

/** A code that the limit refuses has no event: the codes before it have events. */
function describeSecondStep({ outcome, user, clientId, context }: SecondStepChecked): AuditEntry | undefined {
  if (outcome === 'limited') return undefined;
  const subject = describeUser(user);
  if (outcome !== 'wrong') {
    return { type: 'second_step.succeeded', actor: subject, subject, clientId, details: { by: outcome }, context };
  }
  return {
    type: 'second_step.refused',
    reason: 'wrong_credentials',
    actor: { kind: 'anonymous' },
    subject,
    clientId,
    context,
  };
}

function describeRefusedPasskey({ why, user, clientId, context }: PasskeyRefused): AuditEntry {
  return {
    type: 'sign_in.refused',
    reason: signInReasons[why],
    actor: { kind: 'anonymous' },
    subject: user && describeUser(user),
    clientId,
    details: { by: 'passkey' },
    context,
  };
}

function describeNotLetIn({ by, user, clientId, context }: UserNotLetIn): AuditEntry {
  const party = describeUser(user);
  const common = { actor: party, subject: party, clientId, details: { by }, context };
  return { ...common, type: 'sign_in.refused', reason: 'not_in_group' };
}

function describeRefusedUpstream({ why, upstream, user, clientId, context }: UpstreamRefused): AuditEntry {
  return {
    type: 'sign_in.refused',
    reason: upstreamReasons[why],
    actor: { kind: 'anonymous' },
    subject: user && describeUser(user),
    clientId,
    details: { by: 'upstream', upstream },
    context,
  };
}

const upstreamReasons = {
  failed: 'upstream_failed',
  unknown: 'unknown_account',
  disabled: 'user_disabled',
} as const;

function describeCompletedSignIn({ by, acr, user, clientId, context }: SignInCompleted): AuditEntry {
  const party = describeUser(user);
  const details = { by, acr };
  return { type: 'sign_in.succeeded', actor: party, subject: party, clientId, details, context };
}

function describeRefusedAdministrator(fact: AdministratorRefused): AuditEntry | undefined {
  const { why, user, claimed, clientId, context } = fact;
  // The guesses before a limit have events. A request without credentials is no guess.
  if (why === 'limited' || claimed === 'nothing') return undefined;
  return {
    type: 'administrator.refused',
    reason: findRefusalReason(why, user),
    actor: user === undefined ? { kind: 'anonymous' } : describeUser(user),
    subject: user === undefined ? describeClaim(claimed) : undefined,
    clientId,
    context,
  };
}

function findRefusalReason(why: AdministratorRefused['why'], user: AdministratorRefused['user']) {
  if (why === 'not_authenticated') return 'wrong_credentials';
  return user?.enabled === false ? 'user_disabled' : 'role_missing';
}

/** The administrator lacks a role that the client has. */
function describeKeptClient({ administrator, clientId, context }: ClientKept): AuditEntry {
  return {
    type: 'administrator.refused',
    reason: 'role_missing',
    ...describeAdministrator(administrator),
    subject: { kind: 'client', name: clientId },
    context,
  };
}

/** The administrator lacks a role that the user has. */
function describeKeptUser({ administrator, user, context }: UserKept): AuditEntry {
  return {
    type: 'administrator.refused',
    reason: 'role_missing',
    ...describeAdministrator(administrator),
    subject: describeUser(user),
    context,
  };
}

/** Of a grant that had ended before, a replay is a refusal, which has a budget. */
function describeReplay({ reason, why, isEnded, ...fact }: GrantReplayed): AuditEntry {
  const type = isEnded ? 'grant.ended' : 'replay.refused';
  return { ...describeGrant(fact, why === undefined ? {} : { why }), type, reason };
}

function describeGrant(
  { client, userId, grantId, context }: Omit<RefreshTokenRepeated, 'type' | 'by'>,
  details: Record<string, string>,
) {
  return {
    actor: describeClient(client),
    subject: describeUser({ id: userId }),
    clientId: client.clientId,
    details: { grant: grantId, ...details },
    context,
  };
}

function describeSignOut({ userId, context }: SignedOut): AuditEntry {
  const user = describeUser({ id: userId });
  return { type: 'sign_out', actor: user, subject: user, context };
}

function describeRevocation({ token, client, grantId, userId, context }: TokenRevoked): AuditEntry {
  return {
    type: 'token.revoked',
    actor: describeClient(client),
    subject: userId === undefined ? describeClient(client) : describeUser({ id: userId }),
    clientId: client.clientId,
    details: { token, ...(grantId === undefined ? {} : { grant: grantId }) },
    context,
  };
}

function describeAdministrator(administrator: AdministratorFacts) {
  return { actor: describeUser(administrator), clientId: administrator.clientId };
}

function describeAdministration({ type, administrator, client, details, context }: ClientAdministered): AuditEntry {
  return { type, ...describeAdministrator(administrator), subject: describeClient(client), details, context };
}

function describeDynamicClient({ type, by, client, details, context }: DynamicClientChanged): AuditEntry {
  return {
    type,
    actor: describeRegistrant(by, client),
    subject: describeClient(client),
    details,
    ...(context === undefined ? {} : { context }),
  };
}

function describeRegistrant(by: DynamicClientChanged['by'], client: ClientFacts): AuditParty {
  if (typeof by !== 'string') return { kind: 'initial_token', id: by.initialTokenId };
  if (by === 'itself') return describeClient(client);
  return by === 'nobody' ? { kind: 'service', name: 'auth-server' } : { kind: 'anonymous' };
}

function describeInitialToken(fact: InitialTokenAdministered): AuditEntry {
  const { type, administrator, initialTokenId, details, context } = fact;
  const subject = { kind: 'initial_token', id: initialTokenId } as const;
  return { type, ...describeAdministrator(administrator), subject, details, context };
}

function describeResourceAdministration(fact: ResourceAdministered): AuditEntry {
  const { type, administrator, resource, details, context } = fact;
  const subject = { kind: 'resource', id: resource.id, name: resource.resource } as const;
  return { type, ...describeAdministrator(administrator), subject, details, context };
}

function describeIssuerAdministration(fact: IssuerAdministered): AuditEntry {
  const { type, administrator, issuer, details, context } = fact;
  const subject = { kind: 'issuer', id: issuer.id, name: issuer.issuer } as const;
  return { type, ...describeAdministrator(administrator), subject, details, context };
}

function describeUpstreamAdministration(fact: UpstreamAdministered): AuditEntry {
  const { type, administrator, upstream, details, context } = fact;
  const subject = { kind: 'upstream', id: upstream.id, name: upstream.alias } as const;
  return { type, ...describeAdministrator(administrator), subject, details, context };
}

function describeConsent({ type, user, client, asked, context }: ConsentDecided): AuditEntry {
  return {
    type,
    ...(type === 'consent.denied' ? { reason: 'denied_by_user' } : {}),
    actor: describeUser(user),
    subject: describeClient(client),
    clientId: client.clientId,
    ...(asked === undefined ? {} : { details: describeAsked(asked) }),
    context,
  };
}

function describeRotation({ type, administrator, signAfter, context }: KeysRotated): AuditEntry {
  const details = { sign_after_seconds: signAfter };
  return { type, ...describeAdministrator(administrator), subject: { kind: 'keys' }, details, context };
}

function describeTakenConsent({ type, administrator, user, client, context }: ConsentTaken): AuditEntry {
  const details = { by_administrator: true, client: client.clientId };
  return { type, ...describeAdministrator(administrator), subject: describeUser(user), details, context };
}

function describeEndedGrant({ type, administrator, user, client, grantId, context }: GrantEnded): AuditEntry {
  const details = { by_administrator: true, client: client.clientId, grant: grantId };
  return { type, ...describeAdministrator(administrator), subject: describeUser(user), details, context };
}

function describeDeviceDecision({ type, user, client, grantId, asked, context }: DeviceDecided): AuditEntry {
  return {
    type,
    ...(type === 'device.denied' ? { reason: 'denied_by_user' } : {}),
    actor: describeUser(user),
    subject: describeClient(client),
    clientId: client.clientId,
    details: { grant: grantId, scope: asked.scope, resources: asked.resources },
    context,
  };
}

function describeRememberedBrowser({ type, user, browserId, context }: BrowserRemembered): AuditEntry {
  const party = describeUser(user);
  return { type, actor: party, subject: party, details: { browser: browserId }, context };
}

function describeDownload({ type, user, context }: DataDownloaded): AuditEntry {
  const party = describeUser(user);
  return { type, actor: party, subject: party, context };
}

function describeEndedSession({ type, user, administrator, sessionId, context }: SessionEnded): AuditEntry {
  const subject = describeUser(user);
  return {
    type,
    ...(administrator === undefined ? { actor: subject } : describeAdministrator(administrator)),
    subject,
    details: { session: sessionId },
    context,
  };
}

function describeAsked({ scope, resources, claims }: NonNullable<ConsentDecided['asked']>) {
  return { scope, ...(resources.length === 0 ? {} : { resources }), ...(claims.length === 0 ? {} : { claims }) };
}
