import { type DirectoryUser, deviceCodeGrantType } from '@gatehouse/shared';
import type { PlanCode } from '../authorization/plan-code.ts';
import { noClaims } from '../codes/device-code.ts';
import type { Asked } from '../consent/consent.ts';
import { listOrgApiScopes } from '../consent/consented-resources.ts';
import type { Consents, PlannedConsent } from '../consent/consents.ts';
import type { PlanDeviceCode } from '../device/plan-device-code.ts';
import type { Presented } from '../grants/plan-grant.ts';
import { orgApiId } from '../resources/granted-resource.ts';
import type { GrantTypeOfUsers, PreviewRequest } from './preview-request.ts';

/** Names of scopes and claims, and URIs of APIs. */
export interface ShownConsent {
  /** For which a page would ask the user; none where there is no page. */
  asked: string[];
  given: string[];
}

/** A grant that a user would begin. */
interface BegunGrant {
  presented: Presented;
  consent: ShownConsent;
}

/** Plans what a user does to let a client in, and what the client would then present. Stores nothing. Throws what the client would be told. */
export type BeginGrant = (request: PreviewRequest, by: GrantTypeOfUsers, user: DirectoryUser) => Promise<BegunGrant>;

interface Dependencies {
  planCode: PlanCode;
  planDeviceCode: PlanDeviceCode;
  consents: Pick<Consents, 'plan'>;
}

export function createBeginGrant({ planCode, planDeviceCode, consents }: Dependencies): BeginGrant {
  return async ({ client, scope, resource, acr, context }, by, user) => {
    if (by === 'password') return { presented: { user }, consent: { asked: [], given: [] } };
    const assumed = { user, acr, context };
    if (by === deviceCodeGrantType) {
      const resources = resource === undefined ? [] : [resource];
      const deviceCode = await planDeviceCode({ client, scope, resources }, assumed);
      const asked = { ...deviceCode, claims: noClaims };
      const consent = await consents.plan(client, user.id, asked);
      return { presented: { deviceCode, consent }, consent: showConsent(consent, asked) };
    }
    const { code, codeVerifier, showsConsent } = await planCode({ client, scope, resource }, assumed);
    const consent = await consents.plan(client, user.id, code);
    return {
      presented: { code, codeVerifier, consent },
      consent: showConsent(consent, showsConsent ? code : undefined),
    };
  };
}

function showConsent({ given }: PlannedConsent, asked: Asked | undefined): ShownConsent {
  const resources = (asked?.resources ?? []).filter(({ id }) => id !== orgApiId);
  return {
    asked: asked === undefined ? [] : listNames({ scope: listOrgApiScopes(asked), claims: [], resources }),
    given: listNames(given),
  };
}

function listNames({ scope, claims, resources }: PlannedConsent['given']): string[] {
  const ofResources = resources.flatMap(({ resource, scopes }) => [resource, ...scopes.map(({ name }) => name)]);
  return [...scope, ...claims, ...ofResources];
}
