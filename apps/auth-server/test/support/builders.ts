import { randomBytes } from 'node:crypto';
import { createId } from '@gatehouse/service-kit';
import { type DirectoryUser, roles } from '@gatehouse/shared';
import type { Client } from '../../src/clients/client.ts';
import type { DynamicRegistration } from '../../src/clients/dynamic-registration.ts';
import type { AuthorizationCode } from '../../src/codes/authorization-code.ts';
import type { DeviceCode } from '../../src/codes/device-code.ts';
import type { PushedRequest } from '../../src/codes/pushed-request.ts';
import type { Consent } from '../../src/consent/consent.ts';
import { defaultIssuerAlgorithms, type Issuer } from '../../src/issuers/issuer.ts';
import { passwordAuthentication } from '../../src/levels/authentication.ts';
import { noProofs } from '../../src/levels/proofs.ts';
import type { Resource } from '../../src/resources/resource.ts';
import type { BrowserSession } from '../../src/sessions/browser-session.ts';
import type { SessionParticipant } from '../../src/sessions/session-participant.ts';
import type { AuthorizationGrant } from '../../src/tokens/authorization-grant.ts';
import type { RefreshToken } from '../../src/tokens/refresh-token.ts';
import { type Upstream, upstreamDefaults } from '../../src/upstreams/upstream.ts';

/** Where the clocks of rule tests begin. */
export const start = 1_800_000_000_000;

export function buildClient(fields: Partial<Client> = {}): Client {
  return {
    clientId: `client-${randomBytes(6).toString('hex')}`,
    registrationId: createId(),
    enabled: true,
    secretHash: '$argon2id$stored',
    secretDigest: undefined,
    secretSetAt: undefined,
    previousSecret: undefined,
    scope: ['openid', 'profile', 'email', 'offline_access', 'roles'],
    grantTypes: ['authorization_code', 'password', 'refresh_token'],
    redirectUri: 'https://app.example.com/callback?x=1',
    accessTokenValidity: 1800,
    serviceAccount: undefined,
    metadata: {},
    ceiling: roles,
    ceilingGivenAt: undefined,
    tokenGeneration: 0,
    grantGeneration: 0,
    codeGeneration: 0,
    dynamic: undefined,
    document: undefined,
    managedBy: undefined,
    lapsesAt: undefined,
    createdAt: start,
    updatedAt: start,
    ...fields,
  };
}

/** The `dynamic` of a client that registered itself, by no token. */
export const openlyRegistered: DynamicRegistration = {
  tokenHash: Buffer.alloc(32, 1),
  initialToken: undefined,
  applicationType: undefined,
};

export function buildResource(fields: Partial<Resource> = {}): Resource {
  return {
    id: createId(),
    resource: `https://${randomBytes(6).toString('hex')}.example.com/`,
    name: 'Örders 🔑',
    scopes: [{ id: createId(), name: `orders:${randomBytes(6).toString('hex')}`, description: 'see your örders' }],
    accessTokenValidity: 600,
    dynamicClients: true,
    managedBy: 'orders',
    createdAt: start,
    updatedAt: start,
    ...fields,
  };
}

export function buildIssuer(fields: Partial<Issuer> = {}): Issuer {
  return {
    id: createId(),
    issuer: `https://${randomBytes(6).toString('hex')}.example.com`,
    name: 'Wörkloads 🔑',
    kind: 'oidc',
    jwks: undefined,
    jwksUri: undefined,
    signatureAlgorithms: defaultIssuerAlgorithms,
    managedBy: 'builds',
    createdAt: start,
    updatedAt: start,
    ...fields,
  };
}

export function buildUpstream(fields: Partial<Upstream> = {}): Upstream {
  return {
    ...{ id: createId(), alias: `u-${randomBytes(6).toString('hex')}`, displayName: 'Compañía 🏢', enabled: true },
    ...{ issuer: 'https://login.example.com', clientId: 'gatehouse', method: 'client_secret_basic' },
    ...upstreamDefaults,
    ...{ kind: 'oidc', sealedSecret: 'v1.sealed', scope: ['openid'] },
    ...{ createdAt: start, updatedAt: start },
    ...fields,
  };
}

export function buildCode(fields: Partial<AuthorizationCode> = {}): AuthorizationCode {
  return {
    codeHash: randomBytes(32),
    grantId: createId(),
    registrationId: createId(),
    clientGeneration: 2,
    redirectUri: 'https://app.example.com/callback',
    codeChallenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    scope: ['openid', 'profile'],
    resources: undefined,
    userId: createId(),
    sessionId: createId(),
    passwordChangedAt: start - 1,
    dpopJkt: undefined,
    claims: { idToken: [], userinfo: [] },
    nonce: 'nonce – ünïcode 🔑',
    authentication: passwordAuthentication(start / 1000),
    issuedAt: start,
    consumedAt: undefined,
    status: undefined,
    expiresAt: start + 86_400_000,
    ...fields,
  };
}

export function buildDeviceCode(fields: Partial<DeviceCode> = {}): DeviceCode {
  return {
    codeHash: randomBytes(32),
    userCodeHash: randomBytes(32),
    grantId: createId(),
    registrationId: createId(),
    clientId: 'television',
    clientGeneration: 2,
    scope: ['openid', 'profile'],
    resources: undefined,
    acrValues: [],
    maxAge: undefined,
    openUntil: start + 600_000,
    approval: undefined,
    interval: 5,
    polledAt: undefined,
    consumedAt: undefined,
    status: undefined,
    endsAt: start + 600_000,
    expiresAt: start + 1_200_000,
    publicNetwork: undefined,
    ...fields,
  };
}

export function buildRefreshToken(fields: Partial<RefreshToken> = {}): RefreshToken {
  return {
    id: createId(),
    secretHash: randomBytes(32),
    previousSecretHash: undefined,
    rotatedAt: undefined,
    rotatedFrom: undefined,
    grantId: createId(),
    registrationId: createId(),
    clientGeneration: 3,
    userId: createId(),
    passwordChangedAt: start - 1,
    scope: ['openid', 'offline_access'],
    resources: undefined,
    authentication: passwordAuthentication(start / 1000),
    sessionId: createId(),
    beganIn: undefined,
    dpopJkt: undefined,
    rolesByScope: false,
    claims: { idToken: [], userinfo: [] },
    statuses: [],
    endsAt: start + 43_200_000,
    expiresAt: start + 3_600_000,
    ...fields,
  };
}

export function buildSession(fields: Partial<BrowserSession> = {}): BrowserSession {
  return {
    tokenHash: randomBytes(32),
    sessionId: createId(),
    userId: createId(),
    passwordChangedAt: start - 1,
    proofs: { ...noProofs, passwordAt: start / 1000 },
    identityId: undefined,
    upstreamId: undefined,
    label: 'Firefox on Linux',
    network: '192.0.2.1',
    lastUsedAt: start,
    expiresAt: start + 3_600_000,
    ...fields,
  };
}

export function buildParticipant(fields: Partial<SessionParticipant> = {}): SessionParticipant {
  return {
    sessionId: createId(),
    clientId: `client-${randomBytes(6).toString('hex')}`,
    userId: createId(),
    tellAt: undefined,
    expiresAt: start + 3_600_000,
    ...fields,
  };
}

export function buildPushedRequest(fields: Partial<PushedRequest> = {}): PushedRequest {
  return {
    idHash: randomBytes(32),
    registrationId: createId(),
    parameters: 'client_id=web&state=%F0%9F%94%91',
    expiresAt: start + 90_000,
    ...fields,
  };
}

export function buildConsent(fields: Partial<Consent> = {}): Consent {
  return {
    userId: createId(),
    registrationId: createId(),
    clientId: `client-${randomBytes(6).toString('hex')}`,
    scope: ['openid', 'profile'],
    resources: [{ id: createId(), resource: 'https://api.example.com/', scopes: [{ id: createId(), name: 'x:y' }] }],
    claims: ['email', 'zoneinfo'],
    grantedAt: start,
    ...fields,
  };
}

export function buildUser(fields: Partial<DirectoryUser> = {}): DirectoryUser {
  return {
    id: createId(),
    username: 'User@example.com',
    userType: 'Person',
    firstName: 'Ursula',
    lastName: 'User',
    email: 'user@example.com',
    enabled: true,
    roles: ['DirectoryReader'],
    locale: 'en',
    timezone: 'UTC',
    updatedAt: start - 2,
    passwordChangedAt: start - 1,
    ...fields,
  };
}

export function buildGrant(fields: Partial<AuthorizationGrant> = {}): AuthorizationGrant {
  const { client = buildClient(), scope = ['openid', 'roles'] } = fields;
  const { accessTokenValidity } = client;
  return {
    grantId: createId(),
    client,
    user: buildUser(),
    scope,
    resources: undefined,
    target: { audience: 'https://api.example.com', scope, accessTokenValidity },
    authentication: passwordAuthentication(start / 1000 - 60),
    claims: { idToken: [], userinfo: [] },
    nonce: 'n-0S6_WzA2Mj',
    sessionId: createId(),
    status: { listId: 500_000, index: 7 },
    dpopJkt: undefined,
    ...fields,
  };
}
