import axe, { type AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';

/** WCAG 2.2, levels A and AA. */
const all = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
/** Those that a colour scheme can break. */
const ofColours = { type: 'rule', values: ['color-contrast', 'link-in-text-block'] };

/** A colour on its way to another one counts for nothing. What turns without end is no transition. */
const endTransitions = `Promise.allSettled(
  document.getAnimations().filter((each) => each instanceof CSSTransition).map(({ finished }) => finished),
)`;

/** Each rule of WCAG 2.2 AA that a page breaks once its transitions are over, with the elements that break it. */
export async function findViolations(page: Page, { colours = false } = {}): Promise<string[]> {
  await page.evaluate(endTransitions);
  if (await page.evaluate(`typeof axe === 'undefined'`)) await page.evaluate(axe.source);
  const options = JSON.stringify({ runOnly: colours ? ofColours : all, resultTypes: ['violations'] });
  const { violations } = (await page.evaluate(`axe.run(document, ${options})`)) as AxeResults;
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' | ')}`);
}
