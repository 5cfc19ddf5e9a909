import { type AccentColours, buildBaseStyle } from '@gatehouse/service-kit/html';

/** The style of all pages. It stands in each page, and the policy of the page names its hash. */
export function buildStylesheet(colours: AccentColours | undefined): string {
  return `${buildBaseStyle(colours)}[hidden] { display: none !important; }
.quiet { color: var(--quiet); font-size: .9rem; }
:root { --warning: #9a5b00; --warning-ground: #fff4dd; }
@media (prefers-color-scheme: dark) { :root { --warning: #f3bd66; --warning-ground: #38290f; } }
.realm img { height: 2.5rem; max-width: 100%; object-fit: contain; object-position: left; }
.user { display: flex; justify-content: space-between; align-items: center; gap: .75rem; margin: 0 0 1.25rem;
  padding: .1rem .75rem; font-size: .9rem; background: var(--ground); border-radius: 8px; }
.user p { min-width: 0; margin: 0; padding: .55rem 0; }
.user button.plain { flex: none; max-width: 50%; margin: 0; padding: .55rem 0; font-size: inherit; }
.access { margin: 0 0 .5rem; padding: 0; list-style: none; }
.access li { position: relative; padding: .35rem 0 .35rem 1.75rem; }
.access li::before { position: absolute; left: .25rem; color: var(--accent); font-weight: 700; content: "\\2713"; content: "\\2713" / ""; }
.access .risk::before { left: .75rem; color: var(--warning); content: "!"; content: "!" / ""; }
.risk { padding: .6rem .9rem; border-left: 4px solid var(--warning); border-radius: 0 8px 8px 0; background: var(--warning-ground); }
.access .risk { margin: .35rem 0; padding: .5rem .9rem .5rem 1.75rem; }
.details { margin: 0 0 .75rem; font-size: .9rem; }
.details ul { margin: .25rem 0 .5rem; }
.logo { display: block; width: 3rem; height: 3rem; margin: 0 0 .75rem; object-fit: contain; }
p.host { margin: 0 0 .25rem; font-size: 2rem; font-weight: 700; line-height: 1.2; overflow-wrap: anywhere; }
h1 + .alarm { margin-top: 1rem; }
.alarm { padding: .75rem 1rem; border-radius: 0 8px 8px 0; border-left: 4px solid var(--alarm);
  background: var(--alarm-ground); color: var(--alarm); }
.note { padding: .6rem .9rem; border-radius: 0 8px 8px 0; border-left: 4px solid var(--line); background: var(--ground); font-size: .9rem; }
label { display: block; margin: 0 0 .4rem; font-weight: 600; font-size: .95rem; }
input:not([type=hidden]) { display: block; width: 100%; margin: 0 0 1.1rem; padding: .65rem .75rem; font: inherit;
  color: inherit; background: transparent; border: 1px solid var(--line); border-radius: 8px; }
label.choice { display: flex; align-items: flex-start; gap: .6rem; min-height: 2.75rem; padding: .5rem 0; font-weight: 400; }
label.choice input[type=checkbox] { flex: none; width: 1.15rem; height: 1.15rem; margin: .2rem 0 0; padding: 0; accent-color: var(--accent); }
.field { position: relative; margin: 0 0 1.1rem; }
.field input:not([type=hidden]) { margin: 0; padding-right: 3.25rem; }
button.eye { position: absolute; top: 0; right: 0; display: grid; place-items: center; width: 3rem; height: 100%; min-height: 2.75rem;
  margin: 0; padding: 0; color: var(--quiet); background: transparent; }
button.eye:hover { color: var(--ink); }
.eye svg { width: 1.4rem; fill: none; stroke: currentColor; stroke-width: 1.75; stroke-linecap: round; }
.eye .slash { display: none; }
.eye.shown .slash { display: inline; }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.hint { margin: -.6rem 0 .6rem; font-size: .9rem; }
.hint:empty { margin: 0; }
button + .hint:not(:empty) { margin: .5rem 0 .8rem; }
#passkey + .hint + script + label { margin-top: 1.4rem; }
button { display: block; width: 100%; padding: .75rem; margin-top: .6rem; font: inherit; font-weight: 600; color: var(--on-accent);
  background: var(--accent); border: 1px solid transparent; border-radius: 8px; cursor: pointer; overflow-wrap: anywhere; }
button.second { color: var(--accent); background: transparent; border-color: var(--line); }
button.plain { width: auto; min-height: 2.75rem; margin: .35rem auto 0; padding: .65rem .75rem; font-size: .95rem; font-weight: 400;
  color: var(--accent); background: transparent; text-decoration: underline; }
ul.plain { list-style: none; padding: 0; }
ul.plain li { padding: 1rem 0; border-top: 1px solid var(--line); }
ul.links { list-style: none; padding: 0; display: flex; flex-wrap: wrap; gap: .25rem 1rem; font-size: .9rem; }
form + ul.links, form + p.way, .narrow + p.way { margin-top: 1.25rem; }
p.way { display: flex; flex-wrap: wrap; gap: 0 1.25rem; }
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
main.wide { max-width: 46rem; }
body:has(.wide) { justify-content: flex-start; }
:root { --faint: color-mix(in srgb, var(--line) 45%, transparent); }
.account { display: flex; justify-content: space-between; gap: 1rem; margin: 0 0 1rem; }
.account p { margin: 0; }
.account a { font-size: .9rem; flex: none; }
nav ul { display: flex; flex-wrap: wrap; gap: 0 1.25rem; margin: 0 0 1.75rem; padding: 0; list-style: none; border-bottom: 1px solid var(--faint); }
nav a { display: block; padding: .6rem 0; color: var(--quiet); text-decoration: none; border-bottom: 3px solid transparent; }
nav a:hover { color: var(--ink); }
nav a[aria-current] { color: var(--ink); font-weight: 600; border-bottom-color: var(--accent); }
section { padding: 1.25rem 0; }
section + section { border-top: 1px solid var(--faint); }
section h2 { margin-top: 0; }
section p { margin-bottom: .75rem; }
section > p::first-letter, .rows p::first-letter { text-transform: uppercase; }
.rows { margin: 0 0 1.25rem; padding: 0; list-style: none; }
.rows > li { display: flex; flex-wrap: wrap; justify-content: space-between; align-items: start; gap: .5rem 1.5rem; padding: .9rem 0; border-top: 1px solid var(--faint); }
.rows > li > div { flex: 1 1 18rem; min-width: 0; overflow-wrap: anywhere; }
.rows p { margin: .15rem 0 0; }
.rows button { width: auto; margin: 0; padding: .5rem .9rem; font-size: .9rem; }
.rows details form { margin-top: .5rem; max-width: 20rem; }
summary { display: inline-block; padding: .35rem 0; font-size: .9rem; color: var(--accent); cursor: pointer; text-decoration: underline; }
.badge { display: inline-block; padding: .05rem .5rem; border: 1px solid var(--line); border-radius: 1rem; font-size: .8rem; font-weight: 400; color: var(--quiet); white-space: nowrap; }
.refused { color: var(--alarm); }
.actions { display: flex; flex-wrap: wrap; gap: .5rem; margin: 0 0 1.25rem; }
section .actions { margin-bottom: 0; }
.actions button, a.button { display: inline-block; width: auto; margin: 0; padding: .6rem 1rem; font-size: .95rem; font-weight: 600; line-height: 1.5; border-radius: 8px; text-decoration: none; }
a.button.second { color: var(--accent); border: 1px solid var(--line); }
.narrow { max-width: 25rem; }
.columns { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(16rem, 100%), 1fr)); gap: .25rem 1.5rem; }
.columns + button { width: auto; padding-left: 2rem; padding-right: 2rem; }
fieldset { grid-column: 1 / -1; min-width: 0; margin: 0 0 1.1rem; padding: 1rem 1rem 0; border: 1px solid var(--line); border-radius: 8px; }
legend { padding: 0 .4rem; font-weight: 600; font-size: .95rem; }
select, textarea { display: block; width: 100%; margin: 0 0 1.1rem; padding: .65rem .75rem; font: inherit; color: inherit; background: var(--paper); border: 1px solid var(--line); border-radius: 8px; }
footer ul.links { justify-content: center; margin: .25rem 0 0; font-size: inherit; }
`;
}
