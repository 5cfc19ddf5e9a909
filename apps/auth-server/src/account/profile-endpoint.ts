import { fill } from '@gatehouse/service-kit/html';
import type { ProfileField, UserDetails } from '@gatehouse/shared';
import type { FastifyInstance } from 'fastify';
import { getEncodedForm } from '../http/form.ts';
import type { OrganizationDirectory } from '../organization/organization-directory.ts';
import type { OrganizationSettings } from '../organization/settings.ts';
import type { Messages } from '../pages/messages/en.ts';
import type { AccountPage, AccountPages, Taken, Visit } from './account-pages-endpoint.ts';
import type { FindAccount } from './find-account.ts';
import { addressParts, sendProfilePage } from './profile-page.ts';

interface Dependencies {
  config: { realm: string };
  accountPages: AccountPages;
  findAccount: FindAccount;
  settings: Pick<OrganizationSettings, 'find'>;
  directory: Pick<OrganizationDirectory, 'changeProfile'>;
}

/** `GET /account` shows the record of the user; `POST` changes what the user may change. */
export function registerProfile(app: FastifyInstance, deps: Dependencies): void {
  const { config, settings, accountPages, findAccount, directory } = deps;
  const show = async (visit: Visit, fault?: Parameters<AccountPage['show']>[1], faulty: readonly string[] = []) => {
    const { http, signedIn, context, formToken, messages } = visit;
    const [account, { mails, accountDeletion }] = await Promise.all([
      findAccount({ userId: signedIn.user.id }, context),
      settings.find(context),
    ]);
    const typed = new Map(fault && readFields(visit));
    return sendProfilePage(http.reply, {
      ...config,
      ...{ account, formToken, typed, faulty, fault, messages },
      mailsLinks: mails === true,
      mayDelete: accountDeletion === true,
    });
  };

  const refuse = async (visit: Visit, fields: readonly string[]): Promise<Taken> => {
    const { messages } = visit;
    const message = fill(messages.profile.refused, { fields: nameFields(fields, messages) });
    return { sent: await show(visit, { status: 400, message }, fields) };
  };

  const take = async (visit: Visit): Promise<Taken> => {
    const { signedIn, context, messages } = visit;
    const { user, session } = signedIn;
    const { user: record, mayChange } = await findAccount({ userId: user.id }, context);
    const fields = readFields(visit);
    const unknown = fields.map(([name]) => name).filter((name) => !isField(name, mayChange));
    if (unknown.length > 0) return refuse(visit, unknown);
    const changes = findChanges(record, readChanges(fields));
    const proven = { userId: user.id, passwordChangedAt: session.passwordChangedAt };
    const result = await directory.changeProfile(proven, changes, context);
    switch (result.outcome) {
      case 'done':
        return { goTo: '/account' };
      case 'deleted':
      case 'last_administrator':
      case 'changed':
        return { fault: { status: 400, message: messages.account.changedMeanwhile } };
      case 'refused':
        return refuse(visit, result.fields);
    }
  };
  const page: AccountPage = { path: '/account', show: (visit, fault) => show(visit, fault) };
  accountPages.register(app, page, [{ path: '/account', take }]);
}

/** Empty ones too: they remove what is there. Browsers send a line break as two characters. */
function readFields({ http }: Visit): [string, string][] {
  const fields = [...new URLSearchParams(getEncodedForm(http.request))].filter(([name]) => name !== 'form_token');
  return fields.map(([name, value]) => [name, value.replaceAll('\r\n', '\n')]);
}

function isField(name: string, mayChange: readonly ProfileField[]): boolean {
  if (!name.startsWith(addressPrefix)) return name !== 'address' && mayChange.some((field) => field === name);
  return mayChange.includes('address') && addressParts.some((part) => name === addressPrefix + part);
}

const addressPrefix = 'address.';
/** Texts, which can be empty but not absent. */
const alwaysThere: readonly string[] = ['firstName', 'lastName'];

function readChanges(fields: readonly (readonly [string, string])[]): Record<string, unknown> {
  const ofAddress = fields.filter(([name]) => name.startsWith(addressPrefix));
  const others = fields.filter(([name]) => !name.startsWith(addressPrefix));
  const changes: [string, unknown][] = others.map(([name, value]) => [
    name,
    value === '' && !alwaysThere.includes(name) ? null : value,
  ]);
  if (ofAddress.length === 0) return Object.fromEntries(changes);
  const parts = ofAddress
    .filter(([, value]) => value !== '')
    .map(([name, value]) => [name.slice(addressPrefix.length), value]);
  return Object.fromEntries([...changes, ['address', parts.length === 0 ? null : Object.fromEntries(parts)]]);
}

/** Those that differ from the record. A whole address on one label goes with the first part that is typed. */
function findChanges(record: UserDetails, changes: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const stored = record as Readonly<Record<string, unknown>>;
  const isSame = (name: string, value: unknown) => describe(stored[name]) === describe(value);
  return Object.fromEntries(Object.entries(changes).filter(([name, value]) => !isSame(name, value)));
}

/** Whatever the order of members. */
function describe(value: unknown): string {
  const isObject = typeof value === 'object' && value !== null;
  return JSON.stringify(isObject ? Object.entries(value).sort() : (value ?? null));
}

function nameFields(fields: readonly string[], { profile, language }: Messages): string {
  const names = fields.map((field) => {
    const name = field.startsWith(addressPrefix) ? 'address' : field;
    return Object.hasOwn(profile.fields, name)
      ? profile.fields[name as keyof typeof profile.fields]
      : name.slice(0, 64);
  });
  return new Intl.ListFormat(language, { type: 'conjunction' }).format(new Set(names));
}
