import { request } from 'undici';
import { ownRequestId } from './console.ts';

/** A client_id that is free, so that the banner's commands work after every start. */
export async function chooseClientId(authUrl: string): Promise<string> {
  const authorization = `Basic ${Buffer.from('admin@example.com:admin-password').toString('base64')}`;
  for (let number = 1; ; number += 1) {
    const clientId = number === 1 ? 'my-app' : `my-app-${number}`;
    const headers = { authorization, 'x-request-id': ownRequestId };
    const { statusCode, body } = await request(`${authUrl}/clients/${clientId}`, { headers });
    await body.dump();
    if (statusCode !== 200) return clientId;
  }
}
