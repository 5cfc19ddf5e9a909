import { messages } from '../messages/messages.ts';

/** Of a private or symmetric key (RFC 7518 6.2.2, 6.3.2, 6.4.1; RFC 8037 2). */
const secretMembers = new Set(['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k']);

/** Why a typed set of keys is neither sent nor kept. A text that is no JSON is neither: it may be a private key in another form. */
export function refuseSecretKeys(text: string): string | undefined {
  if (text.trim() === '') return undefined;
  const found = new Set<string>();
  try {
    JSON.parse(text, (name, value: unknown) => {
      if (secretMembers.has(name)) found.add(name);
      return value;
    });
  } catch {
    return messages.form.noJson;
  }
  return found.size === 0 ? undefined : messages.form.secretKey([...found].join(', '));
}
