import { type Answer, html, type Markup } from './web.ts';

export type Brand = { name: string; colour: string; nav: readonly (readonly [label: string, href: string])[] };

const css = `
  * { box-sizing: border-box }
  body { margin: 0; font: 16px/1.5 "Liberation Sans", "DejaVu Sans", sans-serif; color: #1c2b33; background: #f4f1ea }
  .top { position: sticky; top: 0; z-index: 5; display: flex; gap: 24px; align-items: center; padding: 14px 32px; color: #fff }
  .top a { color: #fff; text-decoration: none } .top .brand { font-size: 20px; font-weight: bold; margin-right: auto }
  main { max-width: 1080px; margin: 0 auto; padding: 24px 32px 80px } h1 { margin: 8px 0 20px } h2 { font-size: 18px }
  input, select, textarea, [contenteditable], [role=combobox] { font: inherit; padding: 8px 12px; border: 1px solid #b9c4c9; border-radius: 6px; background: #fff; min-width: 220px }
  input[type=checkbox], input[type=radio], input[type=range] { min-width: 0; accent-color: #16323f } textarea, [contenteditable] { min-height: 90px; width: 100% }
  button, .button { font: inherit; padding: 8px 16px; border: 0; border-radius: 6px; background: #dfe7ea; color: inherit; cursor: pointer; text-decoration: none }
  button.primary { background: #e0a526; font-weight: bold } button:disabled { opacity: .45; cursor: default } button.icon { padding: 6px 10px }
  form.sheet { display: grid; gap: 16px; max-width: 560px; background: #fff; padding: 24px; border-radius: 10px } form.sheet > label, .row { display: grid; gap: 4px }
  fieldset { border: 1px solid #d6dde0; border-radius: 8px; display: flex; gap: 16px; flex-wrap: wrap }
  table { border-collapse: collapse; width: 100%; background: #fff; border-radius: 10px } caption { text-align: left; font-weight: bold; padding: 8px 0 }
  th, td { text-align: left; padding: 8px 12px; border-bottom: 1px solid #e6e2d8 } th button { background: none; padding: 0; font-weight: bold }
  .cards { display: grid; grid-template-columns: repeat(3, 1fr); gap: 20px } article { background: #fff; border-radius: 10px; padding: 16px } article h2 { margin: 10px 0 0 }
  .picture { height: 84px; border-radius: 6px } .bar { display: flex; gap: 12px; align-items: center; margin-bottom: 20px; flex-wrap: wrap } .error { color: #a3261b; margin: 0 } .error:empty { display: none } svg { width: 18px; height: 18px; vertical-align: -3px; fill: none; stroke: currentColor; stroke-width: 2 }
  .lead { font-size: 18px } .toast { position: fixed; right: 24px; bottom: 24px; padding: 12px 20px; background: #1c2b33; color: #fff; border-radius: 8px }
  dialog { border: 0; border-radius: 12px; padding: 28px; box-shadow: 0 10px 40px #0005 } dialog::backdrop { background: #16323fa0 } iframe { border: 1px solid #d6dde0; border-radius: 8px; width: 100% }
`;

const drawings = {
  find: 'M10 3a7 7 0 1 0 .01 0M15 15l6 6',
  remove: 'M5 5l14 14M19 5L5 19',
  add: 'M12 4v16M4 12h16',
  bin: 'M4 6h16M9 6V3h6v3M6 6l1 15h10l1-15M10 10v7M14 10v7',
  eye: 'M2 12c5-9 15-9 20 0-5 9-15 9-20 0M12 9a3 3 0 1 0 .01 0',
  star: 'M12 3l3 6 6 1-4.500 4.500 1 6.500-5.500-3-5.500 3 1-6.500L3 10l6-1z',
};

/** A picture for a button that has its name elsewhere. */
export const icon = (name: keyof typeof drawings): Markup =>
  html`<svg viewBox="0 0 24 24" aria-hidden="true"><path d="${drawings[name]}"/></svg>`;

/** What the scripts of every page may use. */
const tools = `
  const send = (path, fields = {}) => fetch(path, { method: 'POST', body: new URLSearchParams(fields) });
  const later = (ms, work) => setTimeout(work, ms);
  const toast = (text) => { const box = document.createElement('div'); box.className = 'toast'; box.role = 'status';
    box.textContent = text; document.body.append(box); later(4000, () => box.remove()) };
`;

/** One page of a site. Addresses in it begin where the site does. */
export function page(brand: Brand, here: string, title: string, content: Markup, status = 200): Answer {
  return whole(
    here,
    html`<title>${title}</title>`,
    html`<header class="top" style="background:${brand.colour}"><a class="brand" href="./">${brand.name}</a>
    ${brand.nav.map(([label, href]) => html`<a href="${href}">${label}</a>`)}</header>
    <main><h1>${title}</h1>${content}</main>`,
    status,
  );
}

/** A page that is shown inside another. */
export const inner = (here: string, content: Markup): Answer =>
  whole(here, html`<title>Frame</title>`, html`<main style="padding:16px">${content}</main>`, 200);

function whole(here: string, head: Markup, body: Markup, status: number): Answer {
  const text = `<!doctype html><html lang="en"><head><meta charset="utf-8"><base href="${here}/">${head.text}
<link rel="icon" href="data:,"><style>${css}</style><script>${tools}</script></head><body>${body.text}</body></html>`;
  return { status, headers: { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' }, body: text };
}
