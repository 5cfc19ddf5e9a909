import { messages } from '../messages/messages.ts';

export function SignInFailed({ error, again }: { error: unknown; again: () => void }) {
  const { signIn } = messages;
  const { error: code, error_description: description } = (error ?? {}) as {
    error?: string;
    error_description?: string;
  };
  return (
    <main class="lone">
      <h1>{signIn.failed}</h1>
      <p class="alarm">{description ?? code ?? String(error)}</p>
      <button type="button" class="primary" onClick={again}>
        {signIn.again}
      </button>
    </main>
  );
}
