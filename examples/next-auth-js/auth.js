import NextAuth from 'next-auth';

export const { handlers, auth, signIn, signOut } = NextAuth({
  // Auth.js reads AUTH_GATEHOUSE_ISSUER, AUTH_GATEHOUSE_ID and AUTH_GATEHOUSE_SECRET for the id gatehouse.
  providers: [{ id: 'gatehouse', name: 'Gatehouse', type: 'oidc' }],
});
