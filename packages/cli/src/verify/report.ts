import { writeFileSync } from 'node:fs';
import { StepError } from '../failures.ts';
import { toTerminalText } from '../terminal-text.ts';
import { type CheckId, checks, groupOf, type Severity } from './checks.ts';
import type { Finding, Findings } from './findings.ts';

/** A run, as its reports say it. */
export interface Report extends Pick<Findings, 'found' | 'begun' | 'measured' | 'left'> {
  issuer: string;
  /** When it began. */
  time: Date;
  /** The least severity that fails. */
  failOn: Severity;
}

export const isFailure = ({ severity }: Finding, failOn: Severity) => severity === 'error' || failOn === 'warning';

export function buildDocument({ issuer, time, found, begun, measured, left }: Report) {
  return { issuer, time: time.toISOString(), groups: begun, findings: found, measured, not_checked: left };
}

export function writeText({ issuer, found, measured, left }: Report): string {
  const paragraphs = found.map(({ id, severity, seen, expected, why, mend }) =>
    [
      `${severity.padEnd(7)}  ${id}`,
      ...Object.entries({ seen, expected, why, mend }).map(([name, text]) => `  ${name.padEnd(8)}  ${text}`),
    ].join('\n'),
  );
  const remarks = (title: string, list: Report['left']) =>
    list.length === 0 ? [] : [[title, ...list.map(({ group, text }) => `  ${group}: ${text}`)].join('\n')];
  const count = (of: Severity) => found.filter(({ severity }) => severity === of).length;
  const sum = `${count('error')} of severity error, ${count('warning')} of severity warning`;
  return [issuer, ...paragraphs, ...remarks('measured', measured), ...remarks('not checked', left), sum].join('\n\n');
}

/** JUnit's form: a suite for each group, a case for each check. */
export function writeJunit({ issuer, time, found, begun, left, failOn }: Report): string {
  const suites = begun.map((group) => {
    const ids = (Object.keys(checks) as CheckId[]).filter((id) => groupOf(id) === group);
    const cases = ids.map((id) => {
      const own = found.filter((finding) => finding.id === id);
      return writeCase(
        id,
        own,
        own.some((finding) => isFailure(finding, failOn)),
      );
    });
    const failures = cases.filter((text) => text.includes('<failure')).length;
    const remarks = left.filter((remark) => remark.group === group).map(({ text }) => `not checked: ${text}`);
    const head = `<testsuite name="${group}" tests="${cases.length}" failures="${failures}" timestamp="${time.toISOString()}">`;
    const out = remarks.length === 0 ? [] : [`    <system-out>${escapeXml(remarks.join('\n'))}</system-out>`];
    return [`  ${head}`, ...cases, ...out, '  </testsuite>'].join('\n');
  });
  const name = escapeXml(`gatehouse verify ${issuer}`);
  return ['<?xml version="1.0" encoding="UTF-8"?>', `<testsuites name="${name}">`, ...suites, '</testsuites>'].join(
    '\n',
  );
}

function writeCase(id: CheckId, findings: readonly Finding[], fails: boolean): string {
  const head = `    <testcase classname="${groupOf(id)}" name="${id}"`;
  const [first] = findings;
  if (first === undefined) return `${head}/>`;
  const seen = findings.map((finding) => finding.seen).join('\n');
  const { severity, expected, why, mend } = first;
  const text = escapeXml([`seen: ${seen}`, `expected: ${expected}`, `why: ${why}`, `mend: ${mend}`].join('\n'));
  const element = fails
    ? `<failure type="${severity}" message="${escapeXml(seen)}">${text}</failure>`
    : `<system-out>${text}</system-out>`;
  return `${head}>${element}</testcase>`;
}

/** XML 1.0 takes no other control characters, not even as references. */
function escapeXml(text: string): string {
  const printable = toTerminalText(text).replace(/[\ud800-\udfff\ufffe\uffff]/gu, '\ufffd');
  return printable.replace(/[&<>"\n]/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** In the form that the name of the file asks for: JSON, JUnit (.xml), else text. Throws a StepError. */
export function writeReport(file: string, report: Report): void {
  const write = file.endsWith('.xml') ? writeJunit : writeText;
  const text = file.endsWith('.json') ? JSON.stringify(buildDocument(report), null, 2) : write(report);
  try {
    writeFileSync(file, `${file.endsWith('.xml') ? text : toTerminalText(text)}\n`);
  } catch (error) {
    throw new StepError('report', `${file} cannot be written (${(error as NodeJS.ErrnoException).code})`);
  }
}
