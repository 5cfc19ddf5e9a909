import { UserManager } from 'oidc-client-ts';

const users = new UserManager({
  authority: 'http://localhost:9000',
  client_id: 'my-spa',
  redirect_uri: `${location.origin}/callback`,
  post_logout_redirect_uri: `${location.origin}/`,
  scope: 'openid profile email',
  // The name and the e-mail address come from userinfo.
  loadUserInfo: true,
});
const api = 'http://localhost:9001/organization/api/organization/user/allDetails/userId';
const find = (selector) => document.querySelector(selector);

/** Takes the code out of the address, whatever comes of it. */
async function finishSignIn() {
  try {
    await users.signinCallback();
  } catch (error) {
    find('p').textContent = error.message;
  }
  history.replaceState(null, '', '/');
}

async function show({ profile, access_token: token }) {
  find('h1').textContent = `Hello, ${profile.name}`;
  find('p').textContent = profile.email;
  const headers = { authorization: `Bearer ${token}` };
  const answer = await fetch(`${api}/${encodeURIComponent(profile.preferred_username)}`, { headers });
  find('pre').textContent = JSON.stringify(await answer.json(), null, 2);
}

if (location.pathname === '/callback') await finishSignIn();
const user = await users.getUser();
find('button').textContent = user === null ? 'Sign in' : 'Sign out';
find('button').onclick = () => (user === null ? users.signinRedirect() : users.signoutRedirect());
if (user !== null) await show(user);
