import type { Command } from '../command.ts';
import { cliClientId } from '../connection/access.ts';
import { createSignInStore } from '../connection/kept-sign-in.ts';
import { exitCodes, StepError } from '../failures.ts';

/** Ends the sign-in at the server, and forgets it here. */
export const logout: Command = {
  words: ['logout'],
  summary: 'end that sign-in, at the server and here',
  async run({ output, environment, discover, send }) {
    const { issuer, revocationEndpoint } = await discover();
    const store = createSignInStore(environment, issuer);
    const kept = store.read();
    if (kept === undefined) {
      output.print({ signed_out: null }, '');
      output.note(`nobody is signed in at ${issuer}`);
      return exitCodes.done;
    }
    const body = new URLSearchParams({ token: kept.refreshToken, client_id: cliClientId });
    const { status } = await send('logout', revocationEndpoint, () => ({ method: 'POST', body }));
    // A client that is switched off by now has no tokens that work.
    if (status !== 200 && status !== 401) throw new StepError('logout', `${revocationEndpoint} answered ${status}`);
    store.remove();
    output.print({ signed_out: issuer }, '');
    output.note(`signed out at ${issuer}`);
    return exitCodes.done;
  },
};
