// Windows that open others: a guest book in a tab of its own, and a chooser that tells its opener and closes.
import { type Brand, page } from './look.ts';
import { field, html, redirect, type Site, type Visit } from './web.ts';

export type Entry = { name: string; note: string };
type PopupData = { entries: Entry[]; harbours: string[] };
type PopupVisit = Visit<PopupData>;

export const harbours = ['Antibes', 'Bodø', 'Çeşme', 'Dover', 'Ἑρμούπολις', '函館'] as const;

const brand: Brand = { name: 'Sailors’ Club', colour: '#7a5c12', nav: [] };

export const popup: Site<PopupData> = {
  open: () => ({ entries: [], harbours: [] }),
  answer(visit) {
    const { method, path, here, data } = visit;
    if (method === 'POST') return change(visit);
    if (path === '/') return page(brand, here, 'The club', club(data));
    if (path === '/guest-book') return page(brand, here, 'Guest book', guestBook());
    if (path === '/harbours') return page(brand, here, 'Harbours', chooser());
    const last = data.entries.at(-1);
    return path === '/signed' && last
      ? page(brand, here, 'Signed', html`<p>Thank you, <b id="who">${last.name}</b>.</p>`)
      : undefined;
  },
};

function change({ path, form, data, here }: PopupVisit) {
  if (path === '/guest-book') {
    data.entries.push({ name: field(form, 'name'), note: field(form, 'note') });
    return redirect(`${here}/signed`);
  }
  if (path !== '/harbour') return undefined;
  data.harbours.push(field(form, 'harbour'));
  return redirect(`${here}/`);
}

const club = ({ entries, harbours: chosen }: PopupData) => html`
  <p><a class="button" href="guest-book" target="_blank">Open the guest book</a> <span id="entries">${entries.length} entries</span></p>
  <p><button id="choose">Choose a harbour</button></p>
  <form method="post" action="harbour" id="form"><input type="hidden" name="harbour"><p>Chosen: <b id="chosen">nothing</b></p>
    <button class="primary" id="save" disabled>Save the choice</button></form>
  <p>Saved: <span id="saved">${chosen.join(', ') || 'nothing'}</span></p>
  <script>
    const at = (id) => document.getElementById(id);
    at('choose').onclick = () => open('harbours', 'harbours', 'width=480,height=560');
    addEventListener('message', ({ data, origin }) => {
      if (origin !== location.origin) return;
      at('form').elements.harbour.value = at('chosen').textContent = data.harbour;
      at('save').disabled = false;
    });
  </script>`;

const guestBook = () => html`<form class="sheet" method="post" action="guest-book">
  <label>Name <input name="name" autocomplete="off"></label><label>Note <textarea name="note"></textarea></label>
  <button class="primary">Sign the book</button></form>`;

const chooser =
  () => html`<div class="bar">${harbours.map((one) => html`<button class="harbour">${one}</button>`)}</div>
  <script>
    for (const button of document.querySelectorAll('.harbour')) button.onclick = () => {
      opener.postMessage({ harbour: button.textContent }, location.origin);
      close();
    };
  </script>`;
