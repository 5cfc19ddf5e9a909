import { readHiddenFields } from '@gatehouse/test-kit';
import type { PageForm, PasskeyQuestion } from './ingredients.ts';

/** The posted forms of a page that came from this path. `cookie`: of the browser that it came to. */
export function readForms(page: string, from: string, cookie: string): PageForm[] {
  const passkey = readPasskeyQuestion(page);
  return [...page.matchAll(/<form method="post" action="([^"]*)"[^>]*>(.*?)<\/form>/gs)].map(
    ([, action = '', content = '']) => {
      const buttons = content.matchAll(/<button type="submit" name="(\w+)" value="(\w+)"/g);
      return {
        path: new URL(action, `http://localhost${from}`).pathname,
        cookie,
        fields: readHiddenFields(content),
        buttons: [...buttons].map(([, name = '', value = '']): [string, string] => [name, value]),
        passkey: content.includes('name="credential"') ? passkey : undefined,
      };
    },
  );
}

function readPasskeyQuestion(page: string): PasskeyQuestion | undefined {
  const json = /<script type="application\/json" id="webauthn">(.*?)<\/script>/.exec(page)?.[1];
  if (json === undefined) return undefined;
  const { get, create } = JSON.parse(json) as {
    get?: { challenge: string };
    create?: { challenge: string; user: { id: string } };
  };
  const challenge = (create ?? get)?.challenge;
  return challenge === undefined ? undefined : { challenge, userHandle: create?.user.id };
}
