import { type Prompt, prompts, promptsWithCreate } from '../protocol/prompt.ts';
import type { OrganizationSettings } from './settings.ts';

/** Lists the prompts that work: `create` among them where people register themselves. */
export type ListPrompts = () => readonly Prompt[];

export function createListPrompts(settings: Pick<OrganizationSettings, 'current'>): ListPrompts {
  return () => (settings.current()?.registration === true ? promptsWithCreate : prompts);
}
