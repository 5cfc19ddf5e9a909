import { request } from 'undici';

/** A client_id that is free, so that the banner's commands work after every start. */
export async function chooseClientId(authUrl: string): Promise<string> {
  const authorization = `Basic ${Buffer.from('admin@example.com:admin-password').toString('base64')}`;
  for (let number = 1; ; number += 1) {
    const clientId = number === 1 ? 'my-app' : `my-app-${number}`;
    const { statusCode, body } = await request(`${authUrl}/clients/${clientId}`, { headers: { authorization } });
    await body.dump();
    if (statusCode !== 200) return clientId;
  }
}
