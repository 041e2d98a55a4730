// Pages that make one wait: things that come late, move, are covered or disabled, and pages that take their time.
import { type Brand, page } from './look.ts';
import { field, html, json, type Markup, pause, type Site, type Visit } from './web.ts';

type SlowData = { pressed: string[]; seen: string[] };

const brand: Brand = { name: 'Slow Boats', colour: '#3d4f3a', nav: [] };
const maxMs = 10_000;

export const slow: Site<SlowData> = {
  open: () => ({ pressed: [], seen: [] }),
  async answer({ method, path, query, form, data, here }: Visit<SlowData>) {
    if (method === 'POST' && path === '/press') {
      data.pressed.push(field(form, 'what'));
      return json({ count: data.pressed.length });
    }
    const ms = Math.min(Number(query.get('ms')) || 0, maxMs);
    const content = pages[path]?.(ms);
    if (!content) return undefined;
    data.seen.push(path);
    if (path === '/crawl') await pause(ms);
    return page(brand, here, path.slice(1), html`${content}<p id="state" role="status"></p>${press}`);
  },
};

/** A press is sent, and told when the site has it. */
const press = html`<script>
  document.addEventListener('click', async ({ target }) => {
    const what = target.dataset.press;
    if (!what) return;
    const { count } = await (await send('press', { what })).json();
    document.getElementById('state').textContent = 'Pressed ' + what + ', ' + count + ' in all';
  });
</script>`;

const pages: Record<string, (ms: number) => Markup> = {
  '/late': (ms) => html`<div id="place">Please wait…</div>
    <script>later(${ms}, () => { document.getElementById('place').innerHTML = '<button data-press="late">Late button</button>' })</script>`,
  '/disabled': (ms) => html`<button data-press="disabled" disabled id="it">Patient button</button>
    <script>later(${ms}, () => { document.getElementById('it').disabled = false })</script>`,
  '/moving': (
    ms,
  ) => html`<style>@keyframes slide { from { transform: translateX(600px) } to { transform: none } } #it { animation: slide ${ms}ms linear }</style>
    <button data-press="moving" id="it">Moving button</button>`,
  '/replaced': (ms) => html`<div id="place"><button>Fresh button</button></div>
    <script>later(${ms}, () => { document.getElementById('place').innerHTML = '<button data-press="replaced">Fresh button</button>' })</script>`,
  '/covered':
    () => html`<style>.foot { position: fixed; bottom: 0; left: 0; right: 0; height: 140px; background: #3d4f3add; color: #fff; padding: 24px } main { padding-bottom: 200px }</style>
    ${Array.from({ length: 60 }, (_, index) => html`<p>Line ${index + 1} of a long page.</p>`)}
    <button data-press="covered">Button far below</button>${Array.from({ length: 3 }, () => html`<p>More.</p>`)}
    <div class="foot">We sail at dawn. This stays here.</div>`,
  '/banner': (ms) => html`<button data-press="banner">Button below the banner</button>
    <dialog id="banner" aria-label="Cookies"><p>We use cookies.</p><button id="take">Accept all</button></dialog>
    <script>
      const banner = document.getElementById('banner');
      later(${ms}, () => banner.showModal());
      document.getElementById('take').onclick = () => banner.close();
    </script>`,
  '/crawl': (ms) =>
    html`<p class="lead">This took <span id="ms">${ms}</span> ms.</p><button data-press="crawl">Arrived</button>`,
  '/first': () => html`<p id="which">The first page</p><a href="second">On to the second</a>`,
  '/second': () => html`<p id="which">The second page</p><a href="third">On to the third</a>`,
  '/third': () => html`<p id="which">The third page</p>`,
};
