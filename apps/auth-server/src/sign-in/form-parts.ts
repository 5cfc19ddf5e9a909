import { fillHtml } from '@gatehouse/service-kit/html';
import { type ApplicationName, showName, warnOfName } from '../pages/application.ts';
import type { Messages } from '../pages/messages/en.ts';
import { type Html, html } from '../pages/page.ts';

/** A form that did not lead on. */
export interface FormFault {
  status: number;
  /** The text that the user reads. */
  message: string;
}

interface Applicant {
  application?: ApplicationName | undefined;
  /** Says what the sign-in is for, where no application asks. */
  purpose?: ((messages: Messages) => string) | undefined;
  messages: Messages;
}

/** Names the application, or what the sign-in is for. A long name is cut, but for what must stay in sight behind it. */
export function showApplicant({ application, purpose, messages }: Applicant): Html {
  if (application === undefined) return html`<p class="quiet">${purpose?.(messages)}</p>`;
  const words = fillHtml(messages.signIn.application, { application: showName(application) });
  return application.place === undefined
    ? html`<p class="quiet name">${words}</p>`
    : html`<p class="quiet">${words}</p>\n${warnOfName(application, messages)}`;
}

export function showFault(fault: { message: string } | undefined): Html | undefined {
  return fault && html`<p class="alarm" role="alert" id="fault">${fault.message}</p>`;
}

/** Leads a screen reader from a field to the fault. */
export function describeField(fault: object | undefined): Html | undefined {
  return fault && html` aria-describedby="fault" aria-invalid="true"`;
}

/** The fields that prove where a form came from, and that it goes on with. */
export function hideFields({ formToken, request }: { formToken: string; request: string }): Html {
  return html`<input type="hidden" name="form_token" value="${formToken}">
<input type="hidden" name="request" value="${request}">`;
}

/** For an application, which can be told. */
export function offerCancel({ mayCancel, messages }: { mayCancel?: boolean | undefined; messages: Messages }) {
  if (mayCancel !== true) return undefined;
  return html`<button type="submit" name="decision" value="cancel" class="plain" formnovalidate>${messages.signIn.cancel}</button>`;
}
