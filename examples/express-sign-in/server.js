// Signs people in with Gatehouse, step by step in docs/guides/express.md.
import express from 'express';
import session from 'express-session';
import * as client from 'openid-client';
import { Strategy } from 'openid-client/passport';
import passport from 'passport';

const {
  ISSUER = 'http://localhost:9000',
  ORIGIN = 'http://localhost:3000',
  CLIENT_SECRET,
  SESSION_SECRET,
} = process.env;

// The library refuses http, which is for development.
const options = ISSUER.startsWith('http:') ? { execute: [client.allowInsecureRequests] } : {};
const config = await client.discovery(new URL(ISSUER), 'my-express-app', CLIENT_SECRET, undefined, options);

async function findUser(tokens) {
  const { sub } = tokens.claims();
  const { name, email } = await client.fetchUserInfo(config, tokens.access_token, sub);
  return { sub, name, email, idToken: tokens.id_token };
}
const strategy = { config, callbackURL: `${ORIGIN}/callback`, scope: 'openid profile email' };
passport.use('gatehouse', new Strategy(strategy, async (tokens, done) => done(null, await findUser(tokens))));
// The whole user stands in the session. With a table of users, only `sub` does.
passport.serializeUser((user, done) => done(null, user));
passport.deserializeUser((user, done) => done(null, user));

const app = express();
const cookie = { sameSite: 'lax', secure: ORIGIN.startsWith('https:') };
app.use(session({ secret: SESSION_SECRET, resave: false, saveUninitialized: false, cookie }));
app.use(passport.session());

app.get('/sign-in', passport.authenticate('gatehouse'));
app.get('/callback', passport.authenticate('gatehouse', { successRedirect: '/account', failureRedirect: '/' }));
app.post('/sign-out', (request, response, next) => {
  const hint = request.user ? { id_token_hint: request.user.idToken } : {};
  const url = client.buildEndSessionUrl(config, { ...hint, post_logout_redirect_uri: `${ORIGIN}/` });
  request.logout((error) => (error ? next(error) : response.redirect(303, url.href)));
});

const requireUser = (request, response, next) => (request.user ? next() : response.redirect('/sign-in'));
const escapeHtml = (text) => String(text).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

app.get('/', (_request, response) => {
  response.send('<h1>My application</h1><a href="/account">My account</a>');
});
app.get('/account', requireUser, ({ user }, response) => {
  response.send(`<h1>Hello, ${escapeHtml(user.name)}</h1><p>${escapeHtml(user.email)}</p>
    <form method="post" action="/sign-out"><button>Sign out</button></form>`);
});

app.listen(Number(new URL(ORIGIN).port || 3000), 'localhost', (error) => {
  if (!error) return process.stdout.write(`Open ${ORIGIN}\n`);
  process.stderr.write(`cannot listen at ${ORIGIN}: ${error.message}; choose another ORIGIN\n`);
  process.exit(1);
});
