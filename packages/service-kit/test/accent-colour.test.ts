import { describe, expect, it } from '@jest/globals';
import { buildAccentColours } from '../src/html/accent-colour.ts';
import { buildBaseStyle, defaultAccent, grounds } from '../src/html/base-style.ts';

describe('the accent colour', () => {
  it('that pages have by themselves is good', () => {
    const { light, dark } = defaultAccent;
    expect(buildAccentColours(`${light} ${dark}`)).toEqual(defaultAccent);
  });

  it.each(['light', 'dark'] as const)('is measured on the card and on the ground of %s pages', (theme) => {
    const [card, ground] = grounds[theme];
    expect(buildBaseStyle()).toContain(`--paper: ${card}; --ground: ${ground};`);
  });

  it('is made lighter for dark pages where there is one alone', () => {
    const { light, dark, onDark } = buildAccentColours('#7A0019');
    expect([light, onDark]).toEqual(['#7a0019', '#08202f']);
    expect(dark).toBe('#bd808c');
    expect(buildAccentColours(`${light} ${dark}`).dark).toBe(dark);
  });

  it('is measured to the last of its shades, and also where a channel is almost black', () => {
    expect(buildAccentColours('#0066ef').light).toBe('#0066ef');
    expect(() => buildAccentColours('#0166ef')).toThrow('#0166ef has a contrast of 4.4:1 with light pages');
    expect(buildAccentColours('#0460d2').light).toBe('#0460d2');
  });

  it.each([
    ['#ffcc00', /^#ffcc00 has a contrast of 1\.3:1 with light pages; texts need 4\.5:1$/],
    ['#0b5a8f #0b5a8f', /^#0b5a8f has a contrast of 2\.\d:1 with dark pages; texts need 4\.5:1$/],
  ])('is refused where texts in it cannot be read: %s', (text, reason) => {
    expect(() => buildAccentColours(text)).toThrow(reason);
  });
});
