import { useEffect, useState } from 'preact/hooks';
import { useConsole } from '../console.ts';
import { messages } from '../messages/messages.ts';
import { AnotherUser } from '../session/session.ts';
import { forgetPlace } from './unsaved.ts';

/** Asks for another sign-in, in a small window; nothing that was typed is lost. */
export function SignInBar() {
  const { session } = useConsole();
  const { signIn } = messages;
  const [{ demand }, setState] = useState(session.getState());
  const [fault, setFault] = useState('');
  useEffect(() => session.subscribe(() => setState(session.getState())), [session]);
  if (demand === undefined) return null;
  const isFresh = demand.maxAge !== undefined || demand.acrValues !== undefined;
  const start = () => {
    setFault('');
    session.signInBeside().catch((error: Error) => {
      if (!(error instanceof AnotherUser)) return setFault(error.message);
      // What was typed here is not for the one who signed in.
      forgetPlace();
      sessionStorage.clear();
      location.reload();
    });
  };
  return (
    <aside class="sign-in" role="alert">
      <p>{isFresh ? signIn.fresh : signIn.ended}</p>
      {fault !== '' && <p class="alarm">{fault}</p>}
      <div class="actions">
        <button type="button" class="primary" onClick={start}>
          {signIn.again}
        </button>
        {isFresh && (
          <button type="button" onClick={session.cancel}>
            {messages.form.cancel}
          </button>
        )}
      </div>
    </aside>
  );
}
