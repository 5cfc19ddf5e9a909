import { type AccentColours, buildBaseStyle } from '@gatehouse/service-kit/html';

/** The style of all pages. It stands in each page, and the policy of the page names its hash. */
export function buildStylesheet(colours: AccentColours | undefined): string {
  return `${buildBaseStyle(colours)}[hidden] { display: none !important; }
.quiet { color: var(--quiet); font-size: .9rem; }
.realm img { height: 2.5rem; max-width: 8rem; flex: none; object-fit: contain; }
.logo { display: block; width: 3rem; height: 3rem; margin: 0 0 .75rem; object-fit: contain; }
h1 + .alarm { margin-top: 1rem; }
.alarm { padding: .75rem 1rem; border-radius: 0 8px 8px 0; border-left: 4px solid var(--alarm);
  background: var(--alarm-ground); color: var(--alarm); }
.note { padding: .6rem .9rem; border-radius: 0 8px 8px 0; border-left: 4px solid var(--line); background: var(--ground); font-size: .9rem; }
label { display: block; margin: 0 0 .4rem; font-weight: 600; font-size: .95rem; }
input:not([type=hidden]) { display: block; width: 100%; margin: 0 0 1.1rem; padding: .65rem .75rem; font: inherit;
  color: inherit; background: transparent; border: 1px solid var(--line); border-radius: 8px; }
.hint { margin: -.6rem 0 .6rem; font-size: .9rem; }
.hint:empty { margin: 0; }
button + .hint:not(:empty) { margin: .5rem 0 .8rem; }
#passkey + .hint + script + label { margin-top: 1.4rem; }
button { display: block; width: 100%; padding: .75rem; margin-top: .6rem; font: inherit; font-weight: 600; color: var(--on-accent);
  background: var(--accent); border: 1px solid transparent; border-radius: 8px; cursor: pointer; overflow-wrap: anywhere; }
button.second { color: var(--accent); background: transparent; border-color: var(--line); }
button.plain { width: auto; margin: -.6rem 0 .4rem -.5rem; padding: .65rem .5rem; min-height: 2.75rem; font-size: .9rem; text-align: left;
  color: var(--accent); background: transparent; text-decoration: underline; }
button.other { margin: .6rem 0 0 -.5rem; }
@media (forced-colors: active) { button.plain, button.other { margin-left: 0; } }
ul.plain { list-style: none; padding: 0; }
ul.plain li { padding: 1rem 0; border-top: 1px solid var(--line); }
ul.links { list-style: none; padding: 0; display: flex; flex-wrap: wrap; gap: .25rem 1rem; font-size: .9rem; }
form + ul.links, form + p.way { margin-top: 1.25rem; }
ul.links a, p.way a { display: inline-block; padding: .3rem 0; }
dl { margin: 0 0 1.25rem; }
dt { font-size: .9rem; color: var(--quiet); }
dd { margin: 0 0 .5rem; }
button:hover { filter: brightness(1.08); }
.user-code { margin: 0 0 1.25rem; font-size: 1.75rem; letter-spacing: .08em; text-align: center; }
.qr { display: block; width: 12rem; max-width: 100%; margin: 0 auto 1.25rem; border-radius: 8px; }
.recovery-codes { display: grid; grid-template-columns: repeat(auto-fill, minmax(13rem, 1fr)); gap: .35rem 1rem; margin: 0 0 1.25rem; padding: 0; list-style: none; }
code { display: block; font-size: .9em; overflow-wrap: anywhere; user-select: all; }
.name { display: -webkit-box; -webkit-line-clamp: 3; -webkit-box-orient: vertical; overflow: hidden;
  overflow-wrap: anywhere; }
footer ul.links { justify-content: center; margin: .25rem 0 0; font-size: inherit; }
`;
}
