import type { FastifyReply } from 'fastify';
import { describeConsent } from '../consent/describe-access.ts';
import { showName } from '../pages/application.ts';
import type { Messages } from '../pages/messages/en.ts';
import { type Html, html, joinHtml } from '../pages/page.ts';
import type { FormFault } from '../sign-in/form-parts.ts';
import { sendAccountPage, showAction } from './account-page.ts';
import type { ShownApplication } from './list-applications.ts';

export interface ApplicationsPage {
  realm: string;
  issuer: string;
  username: string;
  applications: readonly ShownApplication[];
  formToken: string;
  fault: FormFault | undefined;
  messages: Messages;
}

/** Shows the applications with access, each with a button that takes it back. */
export function sendApplicationsPage(reply: FastifyReply, page: ApplicationsPage): FastifyReply {
  const { applications, issuer, formToken, messages } = page;
  const { applications: texts, consents, account } = messages;
  const action = { formToken, action: `${reply.server.pageFrame.base}/account/applications`, label: consents.takeBack };
  const items = applications.map(
    (one) => html`<li><div><div class="name">${showLinkedName(one, issuer)}</div>
<p class="quiet">${describeConsent(one, messages)}</p></div>
${showAction(action, { registration: one.registrationId }, one.application.name)}</li>`,
  );
  return sendAccountPage(reply, {
    ...page,
    section: 'applications',
    title: account.applications,
    body:
      items.length === 0
        ? html`<p>${texts.none}</p>`
        : html`<p>${texts.about}</p><ul class="rows">${joinHtml(items)}</ul>`,
  });
}

function showLinkedName({ application, initiateLoginUri }: ShownApplication, issuer: string): Html {
  const name = showName(application);
  return initiateLoginUri === undefined ? name : html`<a href="${addIssuer(initiateLoginUri, issuer)}">${name}</a>`;
}

/** OpenID Connect Core 4: the application learns by `iss` where its user signs in. */
function addIssuer(initiateLoginUri: string, issuer: string): string {
  const url = new URL(initiateLoginUri);
  url.searchParams.set('iss', issuer);
  return url.href;
}
