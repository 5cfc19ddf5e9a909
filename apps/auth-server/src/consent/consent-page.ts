import type { FastifyReply } from 'fastify';
import { type Html, html, joinHtml, sendPage } from '../pages/page.ts';
import { scopeMeanings } from '../protocol/scope-meanings.ts';
import type { ShownResource } from '../resources/requested-access.ts';

/** The meaning of each claim that is requested by name. */
const claimMeanings: Record<string, string> = {
  name: 'see your name',
  given_name: 'see your first name',
  family_name: 'see your last name',
  middle_name: 'see your middle name',
  nickname: 'see your nickname',
  preferred_username: 'see your username',
  profile: 'see the address of your profile page',
  picture: 'see your picture',
  website: 'see the address of your web page',
  gender: 'see your gender',
  birthdate: 'see your date of birth',
  locale: 'see your language',
  zoneinfo: 'see your time zone',
  updated_at: 'see when your details last changed',
  email: 'see your e-mail address',
  email_verified: 'see whether your e-mail address is verified',
  phone_number: 'see your phone number',
  phone_number_verified: 'see whether your phone number is verified',
  address: 'see your postal address',
  roles: 'see your roles in the organization',
};

/** Describes scopes and claims in words. */
function describeAll(scope: readonly string[], claims: readonly string[]): string[] {
  const words = [
    ...scope.map((name) => scopeMeanings[name] ?? name),
    ...claims.map((name) => claimMeanings[name] ?? name),
  ];
  return [...new Set(words)];
}

/** The resources that an application asks for, each with its scopes in the words of its administrator. */
function listResources(shown: readonly ShownResource[]): Html {
  return joinHtml(
    shown.map(
      ({ name, resource, scopes }) => html`<p>At <strong class="name">${name}</strong> (${resource}):</p>
<ul>${joinHtml(describeScopes(scopes).map((words) => html`<li>${words}</li>`))}</ul>`,
    ),
  );
}

/** A resource without scopes is used as a whole. */
function describeScopes(scopes: ShownResource['scopes']): string[] {
  if (scopes.length === 0) return ['use it for you'];
  return scopes.map(({ name, description }) => (description === '' ? name : description));
}

/** What an application asks for, in words. */
export interface AskedAccess {
  scope: readonly string[];
  /** Claims requested by name that the scopes do not cover. */
  claims: readonly string[];
  /** Resources whose scopes are not in `scope`. */
  resources: readonly ShownResource[];
}

/** Lists what an application asks for. */
export function listAccess({ scope, claims, resources }: AskedAccess): Html {
  const items = describeAll(scope, claims).map((words) => html`<li>${words}</li>`);
  return html`${items.length === 0 ? undefined : html`<ul>${joinHtml(items)}</ul>`}
${listResources(resources)}`;
}

export interface ConsentPage extends AskedAccess {
  realm: string;
  application: string;
  username: string;
  /** Binds the form to the resources that the page shows. */
  shown: string;
  formToken: string;
  request: string;
}

/** Asks a user whether a third-party client may have the requested scopes and claims. */
export function sendConsentPage(reply: FastifyReply, page: ConsentPage): FastifyReply {
  const { realm, application, username, shown, formToken, request } = page;
  return sendPage(reply, 200, {
    title: 'Allow access?',
    realm,
    body: html`<h1>Allow access?</h1>
<p><strong class="name">${application}</strong> would like to:</p>
${listAccess(page)}
<p class="quiet">You are signed in as ${username}. You can take this back at any time under <a href="consents">Applications with access</a>.</p>
<form method="post" action="consent">
<input type="hidden" name="form_token" value="${formToken}">
<input type="hidden" name="request" value="${request}">
${shown === '' ? undefined : html`<input type="hidden" name="shown" value="${shown}">`}
<button type="submit" name="decision" value="allow">Allow</button>
<button type="submit" name="decision" value="deny" class="second">Do not allow</button>
</form>`,
  });
}

export interface ConsentListPage {
  realm: string;
  username: string;
  formToken: string;
  consents: readonly ListedConsent[];
}

interface ListedConsent {
  registrationId: string;
  application: string;
  scope: readonly string[];
  claims: readonly string[];
  shown: readonly ShownResource[];
  grantedAt: number;
}

const describeConsent = ({ scope, claims, shown, grantedAt }: ListedConsent) =>
  `may ${[...describeAll(scope, claims), ...shown.map(describeResource)].join('; ')} – since ${new Date(grantedAt).toISOString().slice(0, 10)}`;

const describeResource = ({ name, scopes }: ShownResource) => `use ${name}: ${describeScopes(scopes).join(', ')}`;

/** Shows a user each consent, with a button that withdraws it. */
export function sendConsentListPage(reply: FastifyReply, page: ConsentListPage): FastifyReply {
  const { realm, username, formToken, consents } = page;
  const entries = consents.map(
    (consent) => html`<li><strong class="name">${consent.application}</strong>
<p class="quiet">${describeConsent(consent)}</p>
<form method="post" action="consents">
<input type="hidden" name="form_token" value="${formToken}">
<input type="hidden" name="registration" value="${consent.registrationId}">
<button type="submit" class="second">Take back</button>
</form></li>`,
  );
  return sendPage(reply, 200, {
    title: 'Applications with access',
    realm,
    body: html`<h1>Applications with access</h1>
<p class="quiet">You are signed in as ${username}.</p>
${consents.length === 0 ? html`<p>You have not given any application access to your account.</p>` : html`<ul class="plain">${joinHtml(entries)}</ul>`}`,
  });
}
