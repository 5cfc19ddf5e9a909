import type { FastifyRequest } from 'fastify';
import { getEncodedForm, getQuery } from '../../http/form.ts';
import { chooseMessages } from './choose-messages.ts';
import type { Messages } from './en.ts';

/** The messages for the user of a request. `uiLocales` counts where the request itself does not show them: it was pushed. */
export function messagesFor(request: FastifyRequest, uiLocales = findUiLocales(request)): Messages {
  return chooseMessages({ uiLocales, acceptLanguage: request.headers['accept-language'] });
}

/** Of the query, or of the authorization request that a form carries. */
function findUiLocales(request: FastifyRequest): string | undefined {
  const form = new URLSearchParams(getEncodedForm(request));
  const sources = [new URLSearchParams(getQuery(request)), form, new URLSearchParams(form.get('request') ?? '')];
  return sources.map((source) => source.get('ui_locales')).find((value) => value !== null) ?? undefined;
}
