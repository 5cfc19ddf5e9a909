import type { AccentColours } from '../branding/accent-colour.ts';

/** The style of all pages. It stands in each page, and the policy of the page names its hash. */
export function buildStylesheet({ light, onLight, dark, onDark }: AccentColours): string {
  return `
:root { color-scheme: light dark; --ink: #16202c; --quiet: #51606f; --paper: #ffffff; --ground: #eef2f6;
  --line: #8494a5; --accent: ${light}; --on-accent: ${onLight}; --alarm: #a11212; --alarm-ground: #fdecec; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e8eef4; --quiet: #a9b7c5; --paper: #1a232d; --ground: #10161d; --line: #66788a;
    --accent: ${dark}; --on-accent: ${onDark}; --alarm: #ffb4ab; --alarm-ground: #46191a; }
}
* { box-sizing: border-box; }
[hidden] { display: none !important; }
body { margin: 0; min-height: 100vh; display: flex; flex-direction: column; align-items: center;
  justify-content: center; padding: 1rem; background: var(--ground); color: var(--ink);
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Liberation Sans", sans-serif; }
main { width: 100%; max-width: 25rem; padding: 2rem; background: var(--paper); border-radius: 12px;
  box-shadow: 0 1px 2px rgb(0 0 0 / 12%), 0 8px 32px rgb(0 0 0 / 10%); }
h1 { margin: 0 0 .5rem; font-size: 1.5rem; line-height: 1.25; overflow-wrap: anywhere; }
h2 { margin: 1.5rem 0 .5rem; font-size: 1.05rem; line-height: 1.3; }
p { margin: 0 0 1.25rem; overflow-wrap: anywhere; }
.quiet { color: var(--quiet); font-size: .9rem; }
.realm { margin: 0 0 1.5rem; display: flex; align-items: center; gap: .5rem; color: var(--quiet);
  font-size: .85rem; letter-spacing: .02em; }
.realm svg { width: 1.25rem; height: 1.25rem; flex: none; }
.realm img { height: 2.5rem; max-width: 8rem; flex: none; object-fit: contain; }
.logo { display: block; width: 3rem; height: 3rem; margin: 0 0 .75rem; object-fit: contain; }
h1 + .alarm { margin-top: 1rem; }
main > :last-child { margin-bottom: 0; }
.alarm { padding: .75rem 1rem; border-radius: 0 8px 8px 0; border-left: 4px solid var(--alarm);
  background: var(--alarm-ground); color: var(--alarm); }
label { display: block; margin: 0 0 .4rem; font-weight: 600; font-size: .95rem; }
input:not([type=hidden]) { display: block; width: 100%; margin: 0 0 1.1rem; padding: .65rem .75rem; font: inherit;
  color: inherit; background: transparent; border: 1px solid var(--line); border-radius: 8px; }
.hint { margin: -.6rem 0 .6rem; font-size: .9rem; }
.hint:empty { margin: 0; }
button { display: block; width: 100%; padding: .75rem; margin-top: .6rem; font: inherit; font-weight: 600; color: var(--on-accent);
  background: var(--accent); border: 1px solid transparent; border-radius: 8px; cursor: pointer; overflow-wrap: anywhere; }
button.second { color: var(--accent); background: transparent; border-color: var(--line); }
button.plain { width: auto; margin: -.6rem 0 .4rem -.5rem; padding: .65rem .5rem; min-height: 2.75rem; font-size: .9rem; text-align: left;
  color: var(--accent); background: transparent; text-decoration: underline; }
button.other { margin: .6rem 0 0 -.5rem; }
@media (forced-colors: active) { button.plain, button.other { margin-left: 0; } }
ul { margin: 0 0 1.25rem; padding-left: 1.25rem; overflow-wrap: anywhere; }
ul.plain { list-style: none; padding: 0; }
ul.plain li { padding: 1rem 0; border-top: 1px solid var(--line); }
ul.links { list-style: none; padding: 0; display: flex; flex-wrap: wrap; gap: .25rem 1rem; font-size: .9rem; }
form + ul.links, form + p.way { margin-top: 1.25rem; }
ul.links a, p.way a { display: inline-block; padding: .3rem 0; }
dl { margin: 0 0 1.25rem; }
dt { font-size: .9rem; color: var(--quiet); }
dd { margin: 0 0 .5rem; }
a { color: var(--accent); overflow-wrap: anywhere; }
button:hover { filter: brightness(1.08); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.user-code { margin: 0 0 1.25rem; font-size: 1.75rem; letter-spacing: .08em; text-align: center; }
code { display: block; font-size: .9em; overflow-wrap: anywhere; user-select: all; }
.name { display: -webkit-box; -webkit-line-clamp: 3; -webkit-box-orient: vertical; overflow: hidden;
  overflow-wrap: anywhere; }
footer { margin-top: 1.25rem; color: var(--quiet); font-size: .8rem; text-align: center; }
footer ul.links { justify-content: center; margin: .25rem 0 0; font-size: inherit; }
@media (max-width: 26rem) { main { padding: 1.5rem 1.25rem; } }
`;
}
