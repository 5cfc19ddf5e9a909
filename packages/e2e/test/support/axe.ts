import axe, { type AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';

/** WCAG 2.2, levels A and AA. */
const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

/** A colour on its way to another one counts for nothing. What turns without end is no transition. */
const endTransitions = `Promise.allSettled(
  document.getAnimations().filter((each) => each instanceof CSSTransition).map(({ finished }) => finished),
)`;

/** Each rule of WCAG 2.2 AA that a page breaks once its transitions are over, with the elements that break it. */
export async function findViolations(page: Page): Promise<string[]> {
  await page.evaluate(endTransitions);
  const { violations } = (await page.evaluate(
    `${axe.source}; axe.run(document, { runOnly: ${JSON.stringify(tags)}, resultTypes: ['violations'] })`,
  )) as AxeResults;
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' | ')}`);
}
