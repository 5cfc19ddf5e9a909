import { describe, expect, it } from '@jest/globals';
import { createLogoutHostCheck } from '../../src/administration/backchannel-logout-host.ts';

const [inProduction, inDevelopment] = [true, false].map((production) => createLogoutHostCheck({ production })) as [
  ReturnType<typeof createLogoutHostCheck>,
  ReturnType<typeof createLogoutHostCheck>,
];
const own = [
  'localhost',
  'localhost.',
  'a.localhost',
  '127.0.0.1',
  '127.9.9.9',
  '127.255.255.254',
  '0.0.0.0',
  '[::1]',
  '[::]',
  '[::ffff:127.0.0.1]',
];

describe('the host of backchannel_logout_uri', () => {
  it.each(own)('is not this machine in production: %s', (host) => {
    const body = { backchannel_logout_uri: `https://${host}:8443/logout` };
    const detail = 'must not name a loopback host in production';
    const refused = expect.objectContaining({ status: 400, errors: [{ field: 'backchannel_logout_uri', detail }] });
    expect(() => inProduction(body)).toThrow(refused);
    expect(() => inDevelopment(body)).not.toThrow();
  });

  it.each(['app.example.com', 'localhost.example.com', 'notlocalhost', '10.0.0.1', '128.0.0.1', '[2001:db8::1]'])(
    'may be another one: %s',
    (host) => expect(() => inProduction({ backchannel_logout_uri: `https://${host}/logout` })).not.toThrow(),
  );

  it.each([
    [undefined],
    [null],
    ['text'],
    [{}],
    [{ backchannel_logout_uri: 7 }],
    [{ backchannel_logout_uri: ['https://localhost/logout'] }],
    [{ backchannel_logout_uri: 'no URL' }],
  ])('is left to the other rules where the body is %j', (body) => expect(() => inProduction(body)).not.toThrow());
});
