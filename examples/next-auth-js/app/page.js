import { redirect } from 'next/navigation';
import { auth, signIn, signOut } from '../auth';

async function enter() {
  'use server';
  await signIn('gatehouse');
}

async function leave() {
  'use server';
  const { AUTH_GATEHOUSE_ISSUER, AUTH_GATEHOUSE_ID, AUTH_URL } = process.env;
  const query = new URLSearchParams({ client_id: AUTH_GATEHOUSE_ID, post_logout_redirect_uri: `${AUTH_URL}/` });
  // Ends the session of this application, then the one at Gatehouse.
  await signOut({ redirect: false });
  redirect(`${AUTH_GATEHOUSE_ISSUER}/oauth/logout?${query}`);
}

export default async function Page() {
  const session = await auth();
  if (session === null) {
    return (
      <form action={enter}>
        <button type="submit">Sign in</button>
      </form>
    );
  }
  return (
    <form action={leave}>
      <h1>Hello, {session.user.name}</h1>
      <p>{session.user.email}</p>
      <button type="submit">Sign out</button>
    </form>
  );
}
