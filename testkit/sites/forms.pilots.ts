import { html } from './web.ts';

/** Several begin alike, and two say the same with more or less behind it. */
export const harbours = [
  'Bergen, Norway',
  'Bergen op Zoom, Netherlands',
  'Berlevåg, Norway',
  'Bremen, Germany',
  'Bremerhaven, Germany',
  'Kiel, Germany',
  'Kiel Canal, Germany',
  'Lisboa, Portugal',
] as const;

/** A field that asks the server what to suggest, and takes only what was chosen from that. */
export const pilots = () => html`
  <form class="sheet" method="post" action="pilots" id="form">
    <p class="error" role="alert" id="wrong"></p>
    <div class="row"><label for="where">Harbour</label><div style="position:relative">
      <input id="where" role="combobox" aria-autocomplete="list" aria-expanded="false" aria-controls="found" autocomplete="off">
      <ul id="found" role="listbox" aria-label="Harbours" hidden style="position:absolute;z-index:3;background:#fff;margin:4px 0;padding:8px;list-style:none;width:320px;box-shadow:0 4px 20px #0003"></ul>
      </div></div><input type="hidden" name="harbour">
    <label>Ship <input name="ship" autocomplete="off"></label>
    <button class="primary">Call the pilot</button>
  </form>
  <script>
    const at = (id) => document.getElementById(id);
    const form = at('form');
    let asked = 0;
    const close = () => { at('found').hidden = true; at('where').ariaExpanded = 'false' };
    at('where').oninput = async () => {
      form.elements.harbour.value = '';
      const mine = ++asked;
      at('found').replaceChildren('Looking…');
      at('found').hidden = false;
      at('where').ariaExpanded = 'true';
      const found = await (await fetch('api/harbours?q=' + encodeURIComponent(at('where').value))).json();
      if (mine !== asked) return;
      at('found').replaceChildren(...found.map((name) => {
        const item = document.createElement('li');
        item.role = 'option';
        item.textContent = name;
        item.style.padding = '6px 12px';
        item.onclick = () => { at('where').value = form.elements.harbour.value = name; close(); at('where').focus() };
        return item;
      }));
    };
    form.onsubmit = () => {
      at('wrong').textContent = form.elements.harbour.value ? '' : 'Please choose a harbour of the list.';
      return form.elements.harbour.value !== '';
    };
  </script>`;
