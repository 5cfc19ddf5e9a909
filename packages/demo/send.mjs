/** A step that failed; the message is one line and holds no secret. */
export class StepError extends Error {}

/**
 * @param {string} step
 * @param {string} url
 * @param {RequestInit} init
 * @returns {Promise<{ status: number, body: Record<string, unknown> }>}
 */
export async function send(step, url, init) {
  if (!URL.canParse(url)) throw new StepError(`${step}: ${url} is not a URL`);
  const response = await fetch(url, init).catch((error) => {
    throw new StepError(`${step}: ${url} is out of reach (${error.cause?.code ?? error.message})`);
  });
  const body = /** @type {Record<string, unknown>} */ (await response.json().catch(() => ({})));
  return { status: response.status, body };
}
