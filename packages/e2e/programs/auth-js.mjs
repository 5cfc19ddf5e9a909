// An application on a server that signs people in with Auth.js, as its documentation says.
import { ExpressAuth, getSession } from '@auth/express';
import express from 'express';

const { ISSUER, CLIENT_ID, CLIENT_SECRET, PORT, ASKS_USERINFO } = process.env;
const config = {
  trustHost: true,
  secret: 'what this application signs its own cookies with',
  providers: [
    {
      id: 'gatehouse',
      name: 'Gatehouse',
      type: 'oidc',
      issuer: ISSUER,
      clientId: CLIENT_ID,
      clientSecret: CLIENT_SECRET,
      authorization: { params: { scope: 'openid profile email' } },
      checks: ['pkce', 'state', 'nonce'],
      ...(ASKS_USERINFO ? { idToken: false } : {}),
    },
  ],
};

const app = express();
app.use('/auth', ExpressAuth(config));
app.get('/', async (request, response) => {
  response.json(await getSession(request, config));
});
app.listen(Number(PORT), '127.0.0.1', () => process.stdout.write(`listening at http://127.0.0.1:${PORT}\n`));
