import { Link } from 'wouter-preact';
import { type Finding, listFindings } from '../api/oversight.ts';
import { language, messages } from '../messages/messages.ts';
import { Fault } from '../parts/fault.tsx';
import { useAnswer } from '../parts/use-api.ts';

const { overview: texts } = messages;

/** What an administrator is to know or do, by its weight. */
export function Findings() {
  const answer = useAnswer(listFindings());
  const { findings = [] } = answer.data?.body ?? {};
  return (
    <>
      <Fault error={answer.error} />
      {answer.isSuccess && findings.length === 0 && <p class="note">{texts.noFindings}</p>}
      {findings.length > 0 && (
        <ul class="rows findings">
          {findings.map((finding) => (
            <FindingRow key={finding.text} finding={finding} />
          ))}
        </ul>
      )}
    </>
  );
}

const marks = { act: 'mark bad', look: 'mark warn', know: 'mark' } as const;

const phrases: Record<string, string> = { ...texts.findings, ...messages.clients.findings, ...messages.users.findings };

/** The sentence of the service, which is English, or in another language the phrase of its kind with a name or a number. */
function describeFinding({ kind, subject, count, count_is_exact: isExact, text }: Finding): string {
  const phrase = phrases[kind];
  if (language === 'en' || phrase === undefined) return text;
  return texts.about(phrase, subject ?? `${isExact ? '' : '≥ '}${count.toLocaleString(language)}`);
}

function FindingRow({ finding }: { finding: Finding }) {
  const { weight, path } = finding;
  return (
    <li>
      <div>
        <p class="text">
          <span class={marks[weight]}>{texts.weights[weight]}</span> {describeFinding(finding)}
        </p>
      </div>
      <Link href={path}>{texts.look}</Link>
    </li>
  );
}
