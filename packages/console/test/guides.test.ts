import { describe, expect, it } from '@jest/globals';
import { fillApiGuide } from '../src/apis/fill-api-guide.ts';
import { fillGuide, type Guide } from '../src/clients/fill-guide.ts';

const guide: Guide = {
  ...{ title: 'A guide', clientId: 'my-app', secret: 'the-secret', redirectUri: 'http://localhost:3000/callback' },
  robot: '',
  steps: [
    {
      path: 'server.js',
      language: 'js',
      code: "discover('http://localhost:9000', 'my-app'); listen('http://localhost:3000')",
    },
    { language: 'sh', code: 'CLIENT_SECRET=the-secret node server.js http://localhost:9001' },
  ],
};
const values = {
  clientId: 'shop$&',
  redirectUri: 'https://shop.example.com/cb',
  robot: undefined,
  issuer: 'https://auth.example.com',
  baseUrl: 'https://org.example.com',
};

describe('the code of a guide', () => {
  it('has the values of the client, and a variable in the place of its secret', () => {
    expect(fillGuide(guide, values).map(({ code }) => code)).toEqual([
      "discover('https://auth.example.com', 'shop$&'); listen('https://shop.example.com')",
      'CLIENT_SECRET="$CLIENT_SECRET" node server.js https://org.example.com',
    ]);
  });

  it('has the Robot of the client where it has one, and no address where the guide has none', () => {
    const code = "get('https://org.example.com/robot@example.com', 'http://localhost:3000')";
    const machine = { ...guide, redirectUri: '', robot: 'robot@example.com', steps: [{ language: 'js', code }] };
    const [own, other] = [undefined, 'night/shift@example.com'].map((robot) =>
      fillGuide(machine, { ...values, robot }).map((step) => step.code),
    );
    expect(own).toEqual([code]);
    expect(other).toEqual([code.replace('robot@', 'night%2Fshift%40')]);
  });

  it.each(['com.example.app:/callback', undefined])(
    'keeps its own address where the client has none: %s',
    (redirectUri) => {
      expect(fillGuide(guide, { ...values, redirectUri })[0]?.code).toContain('http://localhost:3000');
    },
  );
});

describe('the code that protects an API', () => {
  const code =
    "issuer('http://localhost:9000', 'https://auth.example.com'); for('https://orders.example.com', 'orders:read')";
  const api = { issuer: 'https://issuer.example.com', audience: 'https://auth.example.com/$&' };

  it('has the issuer, the URI and a scope of the API, each once and to the letter', () => {
    const [filled] = fillApiGuide([{ language: 'js', code }], { ...api, scope: 'ledger.read' });
    expect(filled?.code).toBe(
      "issuer('https://issuer.example.com', 'https://issuer.example.com'); for('https://auth.example.com/$&', 'ledger.read')",
    );
  });

  it('keeps its scope where the API has none', () => {
    const [filled] = fillApiGuide([{ language: 'js', code }], { ...api, scope: undefined });
    expect(filled?.code).toContain('orders:read');
  });
});
