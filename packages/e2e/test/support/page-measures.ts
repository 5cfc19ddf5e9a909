/// <reference lib="dom" />
import type { Page } from 'playwright-core';

interface Colours {
  what: string;
  ink: string;
  /** The backgrounds of the element and of what it lies on, from the front to the back. */
  grounds: string[];
}

/** A piece of text, and its contrast with what it stands on (WCAG 2.2, 1.4.3). */
export interface Contrast {
  what: string;
  ratio: number;
}

/** The contrast of everything on a page that shows text, lowest first. */
export async function measureTextContrasts(page: Page): Promise<Contrast[]> {
  const colours = await page.evaluate(() => {
    const hasText = (element: Element) =>
      element.matches('input:not([type=hidden])') ||
      [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.textContent?.trim() !== '');
    const collectGrounds = (element: Element | null): string[] =>
      element === null ? [] : [getComputedStyle(element).backgroundColor, ...collectGrounds(element.parentElement)];
    return [...document.querySelectorAll('body *')]
      .filter((element) => element.checkVisibility() && hasText(element))
      .map((element) => ({
        what: `${element.tagName.toLowerCase()} ${element.textContent?.trim().slice(0, 40)}`,
        ink: getComputedStyle(element).color,
        grounds: collectGrounds(element),
      }));
  });
  return colours.map(toContrast).sort((a, b) => a.ratio - b.ratio);
}

/** The contrast of the lines that show where a field is and where the focus is (WCAG 2.2, 1.4.11). */
export async function measureLineContrasts(page: Page): Promise<Contrast[]> {
  if ((await page.locator('[autofocus]').count()) > 0) await page.locator(':focus').waitFor();
  const colours = await page.evaluate(() => {
    const collectGrounds = (element: Element | null): string[] =>
      element === null ? [] : [getComputedStyle(element).backgroundColor, ...collectGrounds(element.parentElement)];
    const fields = [...document.querySelectorAll('input:not([type=hidden])')].map((field) => ({
      what: `border of ${field.id}`,
      ink: getComputedStyle(field).borderTopColor,
      grounds: collectGrounds(field.parentElement),
    }));
    const focus = document.activeElement;
    if (focus === null || focus === document.body) return fields;
    const outline = getComputedStyle(focus).outlineColor;
    return [...fields, { what: 'focus outline', ink: outline, grounds: collectGrounds(focus.parentElement) }];
  });
  return colours.map(toContrast).sort((a, b) => a.ratio - b.ratio);
}

/** What has the keyboard focus, and how wide the line is that shows it: 0 where there is none. */
export async function readFocus(page: Page): Promise<{ name: string; outlineWidth: number }> {
  // `autofocus` comes with the first picture of a page, which may be after its load event.
  await page.locator(':focus').waitFor();
  return page.evaluate(() => {
    const focus = document.activeElement;
    if (focus === null) return { name: '', outlineWidth: 0 };
    const { outlineStyle, outlineWidth } = getComputedStyle(focus);
    return {
      name: focus.id || focus.tagName.toLowerCase(),
      outlineWidth: outlineStyle === 'none' ? 0 : Number.parseFloat(outlineWidth),
    };
  });
}

/** How many pixels of the page lie beyond the right edge of the screen. */
export function measureSidewaysScroll(page: Page): Promise<number> {
  return page.evaluate(() => Math.max(0, document.documentElement.scrollWidth - window.innerWidth));
}

function toContrast({ what, ink, grounds }: Colours): Contrast {
  const ground = grounds.map(parseColour).find(({ alpha }) => alpha > 0) ?? white;
  const text = parseColour(ink);
  if (ground.alpha < 1 || text.alpha < 1) throw new Error(`${what}: the colour shines through, measure it by hand`);
  const [light = 0, dark = 0] = [getLuminance(ground), getLuminance(text)].sort((a, b) => b - a);
  return { what, ratio: (light + 0.05) / (dark + 0.05) };
}

interface Colour {
  red: number;
  green: number;
  blue: number;
  alpha: number;
}

const white: Colour = { red: 255, green: 255, blue: 255, alpha: 1 };

/** Reads `rgb(1, 2, 3)` or `rgba(1, 2, 3, 0.5)`, as computed styles give them. */
function parseColour(text: string): Colour {
  const [red, green, blue, alpha = 1] = (text.match(/[\d.]+/g) ?? []).map(Number);
  if (!text.startsWith('rgb') || red === undefined || green === undefined || blue === undefined) {
    throw new Error(`not a colour this can read: ${text}`);
  }
  return { red, green, blue, alpha };
}

/** WCAG 2.2, "relative luminance". */
function getLuminance({ red, green, blue }: Colour): number {
  const [r = 0, g = 0, b = 0] = [red, green, blue].map((channel) => {
    const share = channel / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
