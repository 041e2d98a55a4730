// Every kind of field there is, a board to drag cards on, and settings that are changed in place.
import { application } from './forms.application.ts';
import { harbours, pilots } from './forms.pilots.ts';
import { type Brand, page } from './look.ts';
import { field, fields, html, json, type Markup, pause, redirect, refuse, type Site, type Visit } from './web.ts';

export type Application = {
  name: string;
  email: string;
  phone: string;
  boat: string;
  length: string;
  arrival: string;
  nights: string;
  power: string;
  services: string[];
  languages: string[];
  country: string;
  city: string;
  port: string;
  remarks: string;
  letter: string;
};
export type Card = { name: string; column: string };
type FormsData = {
  applications: Application[];
  cards: Card[];
  pilots: { harbour: string; ship: string }[];
  settings: { title: string; sounds: boolean; theme: string };
};
type FormsVisit = Visit<FormsData>;

export const cities: Record<string, readonly string[]> = {
  Norway: ['Bergen', 'Tromsø', 'Ålesund'],
  Portugal: ['Lisboa', 'Porto', 'Setúbal'],
  Japan: ['長崎', '横浜', 'Kobe'],
};
export const ports = ['Aarhus', 'Brest', 'Cádiz', 'Dún Laoghaire', 'Göteborg', 'Ísafjörður'] as const;
export const columns = ['To do', 'Doing', 'Done'] as const;
export const themes = ['Daylight', 'Dusk', 'Midnight'] as const;
const chores = ['Paint the hull', 'Mend the sail', 'Oil the winch', 'Coil the ropes'];

const brand: Brand = {
  name: 'Harbour Office',
  colour: '#2d5a4a',
  nav: [
    ['Application', './'],
    ['Board', 'board'],
    ['Settings', 'settings'],
  ],
};

export const forms: Site<FormsData> = {
  open: () => ({
    applications: [],
    cards: chores.map((name) => ({ name, column: 'To do' })),
    pilots: [],
    settings: { title: 'My boat', sounds: false, theme: 'Daylight' },
  }),

  async answer(visit) {
    const { method, path, query, data } = visit;
    if (method === 'POST') return change(visit);
    if (path === '/') return show(visit, 'Application for a berth', application());
    if (path === '/api/cities') {
      await pause(250);
      return json(cities[query.get('country') ?? ''] ?? []);
    }
    if (path === '/api/ports') {
      await pause(200);
      return json(ports);
    }
    if (path === '/api/harbours') {
      await pause(300);
      const said = (query.get('q') ?? '').toLowerCase();
      return json(said === '' ? [] : harbours.filter((one) => one.toLowerCase().includes(said)));
    }
    if (path === '/pilots') return show(visit, 'Call a pilot', pilots());
    const pilot = data.pilots.at(-1);
    if (path === '/called' && pilot)
      return show(visit, 'The pilot comes', html`<p>To <b id="harbour">${pilot.harbour}</b>, for ${pilot.ship}.</p>`);
    if (path === '/board') return show(visit, 'Chores', board(data));
    if (path === '/settings') return show(visit, 'Settings of the boat', settings(data));
    const last = data.applications.at(-1);
    return path === '/received' && last ? show(visit, 'Application received', received(data, last)) : undefined;
  },
};

const show = ({ here }: FormsVisit, title: string, content: Markup) => page(brand, here, title, content);

function change({ path, form, data, here }: FormsVisit) {
  const one = (name: string) => field(form, name);
  if (path === '/applications') {
    data.applications.push({
      name: one('name'),
      email: one('email'),
      phone: one('phone'),
      boat: one('boat'),
      length: one('length'),
      arrival: one('arrival'),
      nights: one('nights'),
      power: one('power'),
      services: fields(form, 'services'),
      languages: fields(form, 'languages'),
      country: one('country'),
      city: one('city'),
      port: one('port'),
      remarks: one('remarks'),
      letter: one('letter'),
    });
    return redirect(`${here}/received`);
  }
  if (path === '/pilots') {
    data.pilots.push({ harbour: one('harbour'), ship: one('ship') });
    return redirect(`${here}/called`);
  }
  if (path === '/move') {
    const card = data.cards.find(({ name }) => name === one('card'));
    if (!card) return refuse(422, 'There is no such card.');
    card.column = one('column');
    return json({});
  }
  if (path === '/settings') {
    for (const [name, value] of form) {
      if (name === 'title') data.settings.title = String(value);
      if (name === 'theme') data.settings.theme = String(value);
      if (name === 'sounds') data.settings.sounds = value === 'on';
    }
    return json({});
  }
  return undefined;
}

const received = ({ applications }: FormsData, { name, boat }: Application) => html`
  <p class="lead">Thank you, <span id="name">${name}</span>. Your number is <output id="number">${applications.length}</output>.</p>
  <p>We keep a place for a <span id="boat">${boat}</span>.</p>`;

const board = ({ cards }: FormsData) => html`
  <style>.columns { display: grid; grid-template-columns: repeat(3, 1fr); gap: 16px } .column { background: #e8e4d9; border-radius: 10px; padding: 12px; min-height: 320px }
    .card { background: #fff; padding: 12px; border-radius: 8px; margin-bottom: 8px; cursor: grab }</style>
  <div class="columns">${columns.map(
    (column) =>
      html`<section class="column" aria-label="${column}" data-column="${column}"><h2>${column}</h2>${cards
        .filter((card) => card.column === column)
        .map(({ name }) => html`<div class="card" draggable="true">${name}</div>`)}</section>`,
  )}</div><p id="state" role="status"></p>
  <script>
    let held;
    for (const card of document.querySelectorAll('.card')) card.ondragstart = (event) => {
      held = card; event.dataTransfer.setData('text/plain', card.textContent);
    };
    for (const column of document.querySelectorAll('.column')) {
      column.ondragover = (event) => event.preventDefault();
      column.ondrop = async (event) => {
        event.preventDefault();
        column.append(held);
        await send('move', { card: held.textContent, column: column.dataset.column });
        document.getElementById('state').textContent = held.textContent + ' is in ' + column.dataset.column;
      };
    }
  </script>`;

const settings = ({ settings: { title, sounds, theme } }: FormsData) => html`
  <style>.menu { position: relative; display: inline-block } .menu ul { display: none; position: absolute; margin: 0; padding: 8px; background: #fff; list-style: none; border-radius: 8px; box-shadow: 0 4px 20px #0003 }
    .menu:hover ul { display: block } #title { cursor: text } [role=switch][aria-checked=true] { background: #2d5a4a; color: #fff }</style>
  <p>Double click the name to change it.</p><h2><span id="title">${title}</span></h2>
  <p><button role="switch" aria-checked="${sounds ? 'true' : 'false'}" id="sounds">Sounds</button></p>
  <div class="menu"><button>Theme</button><ul role="menu">${themes.map(
    (one) => html`<li><button role="menuitem">${one}</button></li>`,
  )}</ul></div><p>Now <span id="theme">${theme}</span>.</p><p id="state" role="status"></p>
  <script>
    const at = (id) => document.getElementById(id);
    const save = async (fields) => { await send('settings', fields); at('state').textContent = 'Saved ' + Object.keys(fields) };
    at('title').ondblclick = () => {
      const input = document.createElement('input');
      input.ariaLabel = 'Name of the boat';
      input.value = at('title').textContent;
      at('title').replaceChildren(input);
      input.focus();
      input.onkeydown = (event) => {
        if (event.key !== 'Enter') return;
        const title = input.value;
        at('title').replaceChildren(title);
        save({ title });
      };
    };
    at('sounds').onclick = () => {
      const isOn = at('sounds').ariaChecked !== 'true';
      at('sounds').ariaChecked = String(isOn);
      save({ sounds: isOn ? 'on' : 'off' });
    };
    for (const item of document.querySelectorAll('[role=menuitem]')) item.onclick = () => {
      at('theme').textContent = item.textContent;
      save({ theme: item.textContent });
    };
  </script>`;
