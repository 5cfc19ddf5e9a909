import type { LocalRefusals } from '@gatehouse/shared';
import type { OrganizationDirectory } from './organization-directory.ts';

/** The upstreams whose users have no methods here. */
export type ListLocalRefusals = () => Promise<LocalRefusals>;

/** Tells org-api, with each question about methods, of the users who have none here; where there are none, the question is as it was. */
export function withLocalRefusals(directory: OrganizationDirectory, list: ListLocalRefusals): OrganizationDirectory {
  const add = async <Question extends object>(question: Question): Promise<Question> => {
    const localRefusals = await list();
    return localRefusals.length === 0 ? question : { ...question, localRefusals };
  };
  return {
    ...directory,
    checkPassword: async (credentials, context) => directory.checkPassword(await add(credentials), context),
    checkPasskey: async (check, context) => directory.checkPasskey(await add(check), context),
    changeMethods: async (proven, change, context) => directory.changeMethods(proven, await add(change), context),
    requestLink: async (request, context) => directory.requestLink(await add(request), context),
    useLink: async (use, context) => directory.useLink(await add(use), context),
  };
}
