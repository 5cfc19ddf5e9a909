import { afterEach, expect } from '@jest/globals';
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { startVisit, takeScreenshot, type Visit } from './chromium.ts';
import { measureLineContrasts, measureSidewaysScroll, measureTextContrasts } from './page-measures.ts';

/**
 * Opens pages in browser profiles of their own, light unless told otherwise, which end with their test. No page may write to the
 * console, break its own policy or load anything from elsewhere.
 */
export function useVisits(describe: () => { browser: Browser; origins: string[] }) {
  const visits: Visit[] = [];
  afterEach(async () => {
    const ended = visits.splice(0);
    await Promise.all(ended.map((visit) => visit.close()));
    expect(ended.flatMap((visit) => visit.findProblems())).toEqual([]);
  });
  return async (options: BrowserContextOptions = {}): Promise<Page> => {
    const { browser, origins } = describe();
    const visit = await startVisit(browser, { colorScheme: 'light', ...options, origins });
    visits.push(visit);
    return visit.page;
  };
}

export const press = (page: Page | Locator, name: string) => page.getByRole('button', { name, exact: true }).click();
export const follow = (page: Page | Locator, name: string) => page.getByRole('link', { name, exact: true }).click();
export const isSeen = (page: Page, heading: string) =>
  page.getByRole('heading', { name: heading, exact: true }).waitFor();

/** The looks in which a page is checked: colour scheme, and width in CSS pixels. */
export const looks = [
  ['light', 390],
  ['light', 1280],
  ['dark', 390],
  ['dark', 1280],
] as const;

/** Checks that a page can be read, and takes its picture. */
export async function checkLook(page: Page, name: string): Promise<void> {
  await takeScreenshot(page, name);
  expect([name, await measureSidewaysScroll(page)]).toEqual([name, 0]);
  const faint = (await measureTextContrasts(page)).filter(({ ratio }) => ratio < 4.5);
  expect([name, faint]).toEqual([name, []]);
  const faintLines = (await measureLineContrasts(page)).filter(({ ratio }) => ratio < 3);
  expect([name, faintLines]).toEqual([name, []]);
}
