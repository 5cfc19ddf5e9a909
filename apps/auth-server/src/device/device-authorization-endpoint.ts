import { requestContextOf } from '@gatehouse/service-kit/http';
import { type GrantType, isLevel } from '@gatehouse/shared';
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import type { ClientAuthentication } from '../clients/authenticate-client.ts';
import { isPublic } from '../clients/client-demands.ts';
import { getClientCredentials } from '../clients/read-client-credentials.ts';
import type { RequestBudget } from '../clients/request-budget.ts';
import { deviceCodeInterval, deviceCodeLifetime } from '../codes/device-code.ts';
import type { DeviceCodes } from '../codes/device-codes.ts';
import { formatUserCode } from '../codes/user-code.ts';
import { getForm } from '../http/form.ts';
import { describeForm, readByHand } from '../http/oauth-endpoint.ts';
import { parseAcrValues, parseMaxAge } from '../protocol/level-parameters.ts';
import type { ChooseRequestedAccess } from '../resources/requested-access.ts';
import { listAskedResources } from '../resources/requested-resource.ts';
import { checkDevicesAreOn, checkMayUseDevices } from './check-may-use-devices.ts';

interface Dependencies extends ClientAuthentication {
  config: { authUrl: string; grantTypesOff: readonly GrantType[] };
  deviceBudget: RequestBudget;
  chooseRequestedAccess: ChooseRequestedAccess;
  deviceCodes: Pick<DeviceCodes, 'issue'>;
}

const schema = describeForm({
  operationId: 'requestDeviceCode',
  summary: 'Ask for a device code',
  description: 'RFC 8628 3.1: for a client that has no browser. A user allows it on another device.',
  form: {
    scope: Type.Optional(Type.String({ description: 'Space-delimited; all of the client’s where left out' })),
    resource: Type.Optional(
      Type.String({ description: 'RFC 8707: the URI of an API that access tokens are for; may come several times' }),
    ),
    acr_values: Type.Optional(Type.String({ description: 'Levels by which the user should sign in, by preference' })),
    max_age: Type.Optional(Type.String({ description: 'Seconds since the user signed in, at most' })),
    client_id: Type.Optional(Type.String()),
    client_secret: Type.Optional(Type.String()),
  },
  success: Type.Object({
    device_code: Type.String(),
    user_code: Type.String({ description: 'Shown to the user, XXXX-XXXX' }),
    verification_uri: Type.String({ description: 'The page that the user opens' }),
    verification_uri_complete: Type.String({ description: 'The same with the code in it' }),
    expires_in: Type.Integer({ description: 'Seconds' }),
    interval: Type.Integer({ description: 'Seconds to wait between two polls' }),
  }),
});

/** `POST /oauth/device_authorization` (RFC 8628 3.1). */
export function registerDeviceAuthorization(app: FastifyInstance, deps: Dependencies): void {
  const { config, authenticateClient, deviceBudget, chooseRequestedAccess, deviceCodes } = deps;
  const verificationUri = `${config.authUrl}/oauth/device`;

  app.post('/oauth/device_authorization', { schema, ...readByHand }, async (request, reply) => {
    const parameters = getForm(request);
    const context = requestContextOf(request);
    const client = await authenticateClient(getClientCredentials(request, parameters), context);
    checkDevicesAreOn(config.grantTypesOff);
    checkMayUseDevices(client);
    await deviceBudget.spend(client, context.address);
    const wanted = { resources: listAskedResources(parameters), scope: parameters.get('scope') };
    const { scope, resources } = await chooseRequestedAccess(client, wanted);
    const { registrationId, clientId, tokenGeneration: clientGeneration } = client;
    const publicAddress = isPublic(client) ? context.address : undefined;
    const acrValues = parseAcrValues(parameters).filter(isLevel);
    const maxAge = parseMaxAge(parameters);
    const asked = { registrationId, clientId, clientGeneration, scope, resources, acrValues, maxAge, publicAddress };
    const issued = await deviceCodes.issue(asked);
    const userCode = formatUserCode(issued.userCode);
    void reply.headers({ 'cache-control': 'no-store', pragma: 'no-cache' });
    return {
      device_code: issued.deviceCode,
      user_code: userCode,
      verification_uri: verificationUri,
      verification_uri_complete: `${verificationUri}?user_code=${userCode}`,
      expires_in: deviceCodeLifetime,
      interval: deviceCodeInterval,
    };
  });
}
