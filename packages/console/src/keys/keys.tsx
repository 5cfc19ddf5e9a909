import { useState } from 'preact/hooks';
import { listKeys, rotateKeys } from '../api/oversight.ts';
import { useConsole } from '../console.ts';
import { messages } from '../messages/messages.ts';
import { Command } from '../parts/command.tsx';
import { Confirm } from '../parts/confirm.tsx';
import { Facts } from '../parts/facts.tsx';
import { Fault } from '../parts/fault.tsx';
import { Time } from '../parts/time.tsx';
import { useTitle } from '../parts/title.ts';
import { useAnswer } from '../parts/use-api.ts';

const { keys: texts } = messages;

/** The keys that sign tokens, and when the next one does. */
export default function Keys() {
  useTitle(texts.title);
  const { rights } = useConsole();
  const request = listKeys();
  const answer = useAnswer(request);
  const [isRotated, setRotated] = useState(false);
  return (
    <>
      <div class="head">
        <h1>{texts.title}</h1>
        {rights.changeUsers && (
          <button type="button" onClick={() => setRotated(true)}>
            {texts.rotate}
          </button>
        )}
      </div>
      <Fault error={answer.error} />
      <ul class="rows">
        {answer.data?.body.keys.map(({ kid, alg, state, publishAt, signFrom, expiresAt, jwk }) => (
          <li key={kid}>
            <div>
              <p class="text">
                <code>{kid}</code> <span class="mark">{alg}</span> <span class="mark">{texts.states[state]}</span>
              </p>
              <Facts
                facts={[
                  [texts.publishAt, <Time key="published" at={publishAt} />],
                  [texts.signFrom, <Time key="signs" at={signFrom} />],
                  [texts.expiresAt, <Time key="ends" at={expiresAt} />],
                ]}
              />
              <details>
                <summary>{texts.jwk}</summary>
                <pre>{JSON.stringify(jwk, null, 2)}</pre>
              </details>
            </div>
          </li>
        ))}
      </ul>
      <Command requests={[request]} />
      {isRotated && (
        <Confirm
          title={texts.rotate}
          text={texts.rotateText}
          action={texts.rotate}
          request={rotateKeys()}
          onClose={() => setRotated(false)}
        />
      )}
    </>
  );
}
