import type { CDPSession } from 'playwright-core';

/** Gives the browser an authenticator of its own. `isHeld`: it waits, as one does whose user has not touched it yet. */
export async function addAuthenticator(session: CDPSession, { isHeld = false, verifies = true } = {}): Promise<string> {
  await session.send('WebAuthn.enable', { enableUI: false });
  const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: verifies,
      automaticPresenceSimulation: !isHeld,
    },
  });
  return authenticatorId;
}
