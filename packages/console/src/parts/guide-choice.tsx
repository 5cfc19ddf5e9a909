import { useQuery } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import type { Guide, GuideStep } from '../clients/fill-guide.ts';
import { messages } from '../messages/messages.ts';
import { Copy } from './copy.tsx';
import { saveFile } from './save-file.ts';

const { integrate: texts } = messages.clients;

/** All guides; undefined until they are loaded. */
export function useGuides() {
  return useQuery({ queryKey: ['guides'], queryFn: () => import('gatehouse-guides'), staleTime: Infinity }).data;
}

/** The steps of one of several guides, by choice. */
export function GuideChoice({ choices }: { choices: readonly Pick<Guide, 'title' | 'steps'>[] }) {
  const [chosen, setChosen] = useState(0);
  const choice = choices[chosen];
  if (choice === undefined) return null;
  return (
    <>
      <div class="field">
        <label for="guide">{texts.guide}</label>
        <select
          id="guide"
          value={String(chosen)}
          onChange={({ currentTarget }) => setChosen(Number(currentTarget.value))}
        >
          {choices.map(({ title }, index) => (
            <option key={title} value={String(index)}>
              {title}
            </option>
          ))}
        </select>
      </div>
      <Steps steps={choice.steps} />
    </>
  );
}

const isCommand = (language: string) => language === 'sh';

/** Files and commands, each with buttons that copy and save it. */
export function Steps({ steps }: { steps: readonly GuideStep[] }) {
  return (
    <>
      {steps.map(({ path, language, code }) => (
        <section class="code" key={`${path} ${code}`}>
          <h2>{path === undefined && isCommand(language) ? texts.terminal : <code>{path ?? language}</code>}</h2>
          <pre>{code}</pre>
          <p>
            <Copy text={code} />
            {path !== undefined && (
              <button type="button" class="small" onClick={() => saveFile(path.split('/').at(-1) ?? path, code)}>
                {texts.download}
              </button>
            )}
          </p>
        </section>
      ))}
    </>
  );
}
