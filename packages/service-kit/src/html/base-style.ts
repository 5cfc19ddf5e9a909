/** The colour of buttons and links, and what is written on it, on light and on dark pages. */
export interface AccentColours {
  light: string;
  onLight: string;
  dark: string;
  onDark: string;
}

/** The surfaces below texts: the card, and the ground around it. */
export const grounds = { light: ['#ffffff', '#eef2f6'], dark: ['#1a232d', '#10161d'] } as const;

export const defaultAccent: AccentColours = {
  light: '#0b5a8f',
  onLight: '#ffffff',
  dark: '#7cc4f5',
  onDark: '#08202f',
};

/** The style that all pages of both services share: a card with headings, texts, lists and links. */
export function buildBaseStyle({ light, onLight, dark, onDark }: AccentColours = defaultAccent): string {
  return `
:root { color-scheme: light dark; --ink: #16202c; --quiet: #51606f; --paper: ${grounds.light[0]}; --ground: ${grounds.light[1]};
  --line: #8494a5; --accent: ${light}; --on-accent: ${onLight}; --alarm: #a11212; --alarm-ground: #fdecec; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e8eef4; --quiet: #a9b7c5; --paper: ${grounds.dark[0]}; --ground: ${grounds.dark[1]}; --line: #66788a;
    --accent: ${dark}; --on-accent: ${onDark}; --alarm: #ffb4ab; --alarm-ground: #46191a; }
}
* { box-sizing: border-box; }
body { margin: 0; min-height: 100vh; display: flex; flex-direction: column; align-items: center;
  justify-content: center; padding: 1rem; background: var(--ground); color: var(--ink);
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Liberation Sans", sans-serif; }
main { width: 100%; max-width: 25rem; padding: 2rem; background: var(--paper); border-radius: 12px;
  box-shadow: 0 1px 2px rgb(0 0 0 / 12%), 0 8px 32px rgb(0 0 0 / 10%); }
h1 { margin: 0 0 .5rem; font-size: 1.5rem; line-height: 1.25; overflow-wrap: anywhere; }
h2 { margin: 1.5rem 0 .5rem; font-size: 1.05rem; line-height: 1.3; }
p { margin: 0 0 1.25rem; overflow-wrap: anywhere; }
.realm { margin: 0 0 1.5rem; display: flex; align-items: center; gap: .5rem; font-weight: 600; letter-spacing: .02em; }
.realm svg { width: 1.25rem; height: 1.25rem; flex: none; color: var(--accent); }
ul { margin: 0 0 1.25rem; padding-left: 1.25rem; overflow-wrap: anywhere; }
a { color: var(--accent); overflow-wrap: anywhere; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
main > :last-child { margin-bottom: 0; }
footer { margin-top: 1.25rem; color: var(--quiet); font-size: .8rem; text-align: center; }
@media (max-width: 26rem) { main { padding: 1.5rem 1.25rem; } }
`;
}
