// An application on a server that signs people in with Passport, as the documentation of passport-openidconnect says.
import express from 'express';
import session from 'express-session';
import passport from 'passport';
import OpenIDConnectStrategy from 'passport-openidconnect';

const { ISSUER, CLIENT_ID, CLIENT_SECRET, PORT, ASKS_USERINFO } = process.env;
const origin = `http://127.0.0.1:${PORT}`;

passport.use(
  new OpenIDConnectStrategy(
    {
      issuer: ISSUER,
      authorizationURL: `${ISSUER}/oauth/authorize`,
      tokenURL: `${ISSUER}/oauth/token`,
      userInfoURL: `${ISSUER}/oauth/userinfo`,
      clientID: CLIENT_ID,
      clientSecret: CLIENT_SECRET,
      callbackURL: `${origin}/callback`,
      scope: ['profile', 'email'],
      // Left out, it is true: the library then knows what the ID token says.
      ...(ASKS_USERINFO ? { skipUserProfile: false } : {}),
    },
    (_issuer, profile, done) => done(null, profile),
  ),
);
passport.serializeUser((user, done) => done(null, user));
passport.deserializeUser((user, done) => done(null, user));

const app = express();
app.use(
  session({ secret: 'what this application signs its own cookie with', resave: false, saveUninitialized: false }),
);
app.use(passport.session());
app.get('/sign-in', passport.authenticate('openidconnect'));
app.get('/callback', passport.authenticate('openidconnect', { successRedirect: '/', failureMessage: true }));
app.get('/', (request, response) => {
  response.json(request.user ?? null);
});
app.listen(Number(PORT), '127.0.0.1', () => process.stdout.write(`listening at ${origin}\n`));
