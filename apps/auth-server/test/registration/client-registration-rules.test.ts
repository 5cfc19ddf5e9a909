import { buildFieldsReason, grantTypes, knownScopes, tokenExchangeGrantType } from '@gatehouse/shared';
import { describe, expect, it } from '@jest/globals';
import {
  type ClientSettings,
  createRegistrationChecker,
  findSettingsFaults,
  mayBePublic,
} from '../../src/clients/client-settings.ts';

const scopes = [...knownScopes, 'reports:read'];
const checkRegistration = createRegistrationChecker(() => scopes, []);

const person = {
  client_id: 'my-app',
  client_secret: 'my-app-secret',
  scope: ['openid', 'profile'],
  authorized_grant_types: ['password', 'authorization_code'],
  redirect_uri: 'https://app.example.com/callback',
  access_token_validity: 1800,
};
const robot = {
  client_id: 'my-robot',
  client_secret: 'my-robot-secret',
  scope: ['roles'],
  authorized_grant_types: ['service_account'],
  access_token_validity: 1800,
  srvc_ac_user_name: 'robot@example.com',
};

function without(body: Record<string, unknown>, ...names: string[]) {
  return Object.fromEntries(Object.entries(body).filter(([name]) => !names.includes(name)));
}

/** The faulty fields, in the order they are reported. */
function faultyFields(body: unknown): string[] {
  const result = checkRegistration(body);
  return result.ok ? [] : result.errors.map(({ field }) => field);
}

function reason(body: unknown): string {
  const result = checkRegistration(body);
  return result.ok ? '' : buildFieldsReason(result.errors);
}

describe('client registration', () => {
  it('accepts both documented kinds as they are, changing nothing', () => {
    expect(checkRegistration(person)).toEqual({ ok: true, value: person });
    expect(checkRegistration(robot)).toEqual({ ok: true, value: robot });
  });

  it.each([null, undefined, 'text', 42, true, [], [person]])('refuses a body that is no JSON object: %j', (body) => {
    expect(checkRegistration(body)).toEqual({
      ok: false,
      errors: [{ field: 'body', detail: 'must be a JSON object' }],
    });
  });

  it('names every missing field at once', () => {
    expect(faultyFields({})).toEqual(['client_id', 'scope', 'authorized_grant_types']);
  });

  it('reports each faulty field once, with what is expected', () => {
    const body = { ...person, client_id: '', scope: [1, 2, 2], access_token_validity: 'x' };
    expect(faultyFields(body)).toEqual(['client_id', 'scope', 'access_token_validity']);
    expect(reason(body)).toContain('access_token_validity must be an integer number of seconds from 1 to 86400');
  });

  it('names an unknown field', () => {
    expect(faultyFields({ ...person, colour: 'red' })).toEqual(['colour']);
    expect(reason({ ...person, colour: 'red' })).toBe('colour is not a known field');
  });

  it('names an unknown field that hides behind the prototype', () => {
    expect(faultyFields(JSON.parse('{"__proto__": {"client_id": "x"}}'))).toContain('__proto__');
    expect(faultyFields({ ...person, constructor: 1, toString: 2 })).toEqual(['constructor', 'toString']);
  });

  it('does not take inherited values for fields', () => {
    expect(faultyFields(Object.create(person))).toEqual(['client_id', 'scope', 'authorized_grant_types']);
  });

  it('quotes and cuts the name of an unknown field that could break a line', () => {
    expect(faultyFields({ ...person, 'a\nb': 1 })).toEqual(['"a\\nb"']);
    const [field = ''] = faultyFields({ ...person, ['x'.repeat(5_000)]: 1 });
    expect(field.length).toBeLessThan(80);
  });
});

describe('client_id', () => {
  it.each(['a', 'A-Z.a_z~0', '-', '.', 'x'.repeat(255)])('may be %j', (client_id) => {
    expect(faultyFields({ ...person, client_id })).toEqual([]);
  });

  it.each([
    '',
    'x'.repeat(256),
    'user@example.com',
    'a:b',
    'a b',
    'a/b',
    'a%20b',
    'naïve',
    'a\n',
    '\u0000',
    '١',
    7,
    null,
    true,
    ['a'],
    { a: 1 },
  ])('may not be %j', (client_id) => {
    expect(faultyFields({ ...person, client_id })).toEqual(['client_id']);
  });
});

describe('client_secret', () => {
  it.each(['x', ' ', '~', 'pass word:"\\', 'x'.repeat(1024)])('may be %j', (client_secret) => {
    expect(faultyFields({ ...person, client_secret })).toEqual([]);
  });

  it.each(['', 'x'.repeat(1025), 'tab\t', 'line\n', 'sécret', '\u007f', 12345, null, ['x']])(
    'may not be %j',
    (client_secret) => {
      expect(faultyFields({ ...person, client_secret })).toEqual(['client_secret']);
    },
  );

  it('never stands in the reason', () => {
    expect(reason({ ...person, client_secret: 'hush-hush\n' })).not.toContain('hush-hush');
  });

  it.each([
    [['password']],
    [['client_credentials']],
    [['authorization_code', 'password']],
    [['refresh_token', 'client_credentials']],
  ])('is required with %j', (authorized_grant_types) => {
    const body = without({ ...person, authorized_grant_types }, 'client_secret');
    expect(faultyFields(body)).toEqual(['client_secret']);
  });

  it('is required with service_account', () => {
    expect(faultyFields(without(robot, 'client_secret'))).toEqual(['client_secret']);
  });

  it.each([[['authorization_code']], [['implicit']], [['authorization_code', 'refresh_token', 'implicit']]])(
    'may be left out by a public client (RFC 6749 2.1): %j',
    (authorized_grant_types) => {
      expect(faultyFields(without({ ...person, authorized_grant_types }, 'client_secret'))).toEqual([]);
    },
  );
});

describe('scope', () => {
  it.each([...knownScopes, 'reports:read'])('may hold %s', (scope) => {
    expect(faultyFields({ ...person, scope: [scope] })).toEqual([]);
  });

  it.each([
    [[]],
    [['openid', 'openid']],
    [['admin']],
    [['OpenID']],
    [['openid ']],
    [['openid profile']],
    ['openid'],
    [null],
    [[null]],
    [[['openid']]],
    [{ 0: 'openid' }],
  ])('may not be %j', (scope) => {
    expect(faultyFields({ ...person, scope })).toEqual(['scope']);
  });

  it('knows an extra scope only where the operator added it', () => {
    const result = createRegistrationChecker(() => knownScopes, [])({ ...person, scope: ['reports:read'] });
    expect(result).toMatchObject({ ok: false, errors: [{ field: 'scope' }] });
  });
});

describe('authorized_grant_types', () => {
  it.each([[[]], [['password', 'password']], [['magic']], [['device_code']], ['password'], [null], [[1]]])(
    'may not be %j',
    (authorized_grant_types) => {
      expect(faultyFields({ ...person, authorized_grant_types })).toEqual(['authorized_grant_types']);
    },
  );

  it('may hold service_account beside client_credentials', () => {
    expect(faultyFields({ ...robot, authorized_grant_types: ['client_credentials', 'service_account'] })).toEqual([]);
  });

  it.each(grantTypes.filter((grant) => grant !== 'service_account' && grant !== 'client_credentials'))(
    'may not hold service_account beside %s',
    (grant) => {
      expect(faultyFields({ ...robot, authorized_grant_types: ['service_account', grant] })).toContain(
        'authorized_grant_types',
      );
    },
  );
});

describe('access_token_validity', () => {
  it.each([1, 1800, 86_400])('may be %d', (access_token_validity) => {
    expect(faultyFields({ ...person, access_token_validity })).toEqual([]);
  });

  it.each([0, -1, 86_401, 1.5, '1800', '', null, true, [1800], Number.NaN, Number.POSITIVE_INFINITY])(
    'may not be %j',
    (access_token_validity) => {
      expect(faultyFields({ ...person, access_token_validity })).toEqual(['access_token_validity']);
    },
  );

  it('may be left out, and then nothing is put in its place here', () => {
    const body = without(person, 'access_token_validity');
    expect(checkRegistration(body)).toEqual({ ok: true, value: body });
  });
});

describe('redirect_uri', () => {
  it.each(['authorization_code', 'implicit'])('is required with %s', (grant) => {
    const body = without({ ...person, authorized_grant_types: [grant] }, 'redirect_uri');
    expect(reason(body)).toBe(`redirect_uri is required with ${grant}`);
  });

  it('is optional with grant types that never redirect', () => {
    const body = { ...person, authorized_grant_types: ['password', 'refresh_token', 'client_credentials'] };
    expect(faultyFields(body)).toEqual([]);
    expect(faultyFields(without(body, 'redirect_uri'))).toEqual([]);
  });

  it('is refused with service_account', () => {
    expect(faultyFields({ ...robot, redirect_uri: person.redirect_uri })).toEqual(['redirect_uri']);
  });

  it.each([
    null,
    1,
    ['https://app.example.com/'],
    '',
    '/callback',
    'https://app.example.com/#top',
    'http://app.example.com/',
  ])('may not be %j', (redirect_uri) => {
    expect(faultyFields({ ...person, redirect_uri })).toEqual(['redirect_uri']);
  });
});

describe('srvc_ac_user_name', () => {
  it('is required with service_account', () => {
    expect(faultyFields(without(robot, 'srvc_ac_user_name'))).toEqual(['srvc_ac_user_name']);
  });

  it('is refused without service_account', () => {
    expect(faultyFields({ ...person, srvc_ac_user_name: 'robot@example.com' })).toEqual(['srvc_ac_user_name']);
  });

  it.each(['', 'x'.repeat(256), null, 5, ['robot@example.com']])('may not be %j', (srvc_ac_user_name) => {
    expect(faultyFields({ ...robot, srvc_ac_user_name })).toEqual(['srvc_ac_user_name']);
  });
});

describe('the metadata of a client', () => {
  const implicit = { ...person, authorized_grant_types: ['authorization_code', 'implicit'] };
  const code = { ...person, authorized_grant_types: ['authorization_code'] };
  const exchanging = { ...code, authorized_grant_types: [tokenExchangeGrantType] };
  const exchange_audiences = ['https://api.example.com/'];

  it.each<[string, object, string]>([
    [
      'require_consent with password',
      { ...person, require_consent: true },
      'require_consent is not accepted with the grant type password, which asks no user',
    ],
    [
      'dpop_bound_access_tokens with implicit',
      { ...implicit, dpop_bound_access_tokens: true },
      'dpop_bound_access_tokens is not accepted with implicit, whose tokens cannot be bound',
    ],
    [
      'loopback_ports with implicit',
      { ...implicit, loopback_ports: 'any' },
      'loopback_ports is not accepted with implicit, which has no PKCE',
    ],
    [
      'an exchange of tokens without exchange_audiences',
      exchanging,
      `exchange_audiences is required with ${tokenExchangeGrantType}`,
    ],
    [
      'exchange_audiences without an exchange of tokens',
      { ...code, exchange_audiences },
      `exchange_audiences is accepted only with ${tokenExchangeGrantType}`,
    ],
  ])('may not be %s', (_what, body, expected) => {
    expect(reason(body)).toBe(expected);
  });

  it.each<[string, object]>([
    ['require_consent with grant types that ask the user', { ...code, require_consent: true }],
    ['require_consent false with password', { ...person, require_consent: false }],
    ['dpop_bound_access_tokens with authorization_code', { ...code, dpop_bound_access_tokens: true }],
    ['dpop_bound_access_tokens false with implicit', { ...implicit, dpop_bound_access_tokens: false }],
    ['loopback_ports with authorization_code', { ...code, loopback_ports: 'any' }],
    ['exchange_audiences with an exchange of tokens', { ...exchanging, exchange_audiences }],
  ])('may be %s', (_what, body) => {
    expect(reason(body)).toBe('');
  });
});

describe('settings of a client', () => {
  it('are all checked, so that every broken rule is told at once', () => {
    const settings: ClientSettings = {
      authorized_grant_types: ['service_account', 'password'],
      redirect_uri: 'https://app.example.com/',
      hasSecret: false,
      metadata: {},
    };
    expect(findSettingsFaults(settings).map(({ field }) => field)).toEqual([
      'client_secret',
      'authorized_grant_types',
      'redirect_uri',
      'srvc_ac_user_name',
    ]);
  });

  it('say whether the client may be public', () => {
    expect(grantTypes.filter((grant) => mayBePublic([grant]))).toEqual([
      'authorization_code',
      'refresh_token',
      'implicit',
      'urn:ietf:params:oauth:grant-type:device_code',
    ]);
    expect(mayBePublic(['authorization_code', 'password'])).toBe(false);
  });
});
