import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '@gatehouse/test-kit';

const folder = join(repositoryRoot, 'docs/guides');

/** The names of all guides. */
export const guides = readdirSync(folder).filter((name) => name !== 'README.md');

/** A command to type. One that goes on while a person is at the browser is a block `sh meanwhile`. */
export interface Command {
  command: string;
  /** What stands in a block `text` directly below; undefined where none does. */
  answer: string | undefined;
  isMeanwhile: boolean;
}

/** Code to paste into a file: a block below a line that has nothing but the file's path. */
export interface PastedFile {
  path: string;
  text: string;
}

export type Step = Command | PastedFile;

export const isFile = (step: Step): step is PastedFile => 'path' in step;
export const isCommand = (step: Step): step is Command => !isFile(step);
export const isMeanwhile = (step: Step): step is Command => isCommand(step) && step.isMeanwhile;

const block = /^(?:`([^`\n]+)`:\n\n)?```(\S+)( meanwhile)?\n([\s\S]*?)^```\n(?:\n```text\n([\s\S]*?)^```\n)?/gm;

/** The text of a guide, as it stands. */
export const readGuide = (guide: string): string => readFileSync(join(folder, guide), 'utf8');

/** What a reader of this text types and pastes, in its order. */
export function parseSteps(text: string): Step[] {
  return [...text.matchAll(block)].flatMap(([, path, language, meanwhile, content = '', answer]): Step[] => {
    if (path !== undefined) return [{ path, text: content }];
    return language === 'sh' ? [{ command: content, answer, isMeanwhile: meanwhile !== undefined }] : [];
  });
}

/** The blocks of a text that are of one language, such as a configuration. */
export function readBlocks(text: string, language: string): string[] {
  const blocks = text.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'));
  return [...blocks].map(([, content = '']) => content);
}

/** The part of a text from one heading to the next of its level. */
export function readSection(text: string, heading: string): string {
  const level = heading.split(' ', 1)[0] ?? '';
  const [, rest] = text.split(`\n${heading}\n`);
  if (rest === undefined) throw new Error(`there is no heading ${heading}`);
  return rest.split(`\n${level} `, 1)[0] ?? '';
}

/** A text without a part of it. */
export const dropSection = (text: string, heading: string): string => text.replace(readSection(text, heading), '\n');

/** Whether a person has a part in the guide. */
export const needsPerson = (guide: string): boolean => parseSteps(readGuide(guide)).some(isMeanwhile);

/** In an answer, … stands for anything. */
export function buildAnswerPattern(answer: string): string {
  const parts = answer.trimEnd().split('…');
  return parts.map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('.*');
}
