// A register of thousands of ships: sorted, paged and filtered by the server, drawn by the page, changed in place.
import { type Brand, icon, page } from './look.ts';
import { field, html, json, type Markup, pause, refuse, type Site, type Visit } from './web.ts';

export type Ship = { id: number; name: string; port: string; length: number; year: number; isMarked: boolean };
type TablesData = { ships: Ship[] };
type TablesVisit = Visit<TablesData>;

export const pageSize = 20;
export const sortable = ['Name', 'Port', 'Length', 'Year'] as const;
export type Sorting = { by: (typeof sortable)[number] | 'Number'; isDown: boolean };

const firsts = ['Aurora', 'Bellona', 'Ćma', 'Dorothea', 'Étoile', 'Freyja', 'Gaĵeto', 'Høne', 'Île', 'Żuraw'];
const seconds = ['of the North', 'II', 'Maru', 'à voile', '& Sons', '“Star”', 'Морская', '号'];
export const homes = ['Antwerp', 'Bergen', 'Cork', 'Dieppe', 'Esbjerg', 'Funchal', 'Gdańsk'] as const;
const count = 2400;

const brand: Brand = {
  name: 'Register of Ships',
  colour: '#5b3a29',
  nav: [
    ['Register', './'],
    ['All on one page', 'all'],
  ],
};

export const tables: Site<TablesData> = {
  open: (random) => ({
    ships: Array.from({ length: count }, (_, index) => ({
      id: index + 1,
      name: `${random.pick(firsts)} ${random.pick(seconds)} ${index + 1}`,
      port: random.pick(homes),
      // Each length occurs once, so that an order by it is the only one.
      length: 50 + ((index * 7919 + 13) % count),
      year: 1900 + random.below(130),
      isMarked: false,
    })),
  }),

  async answer(visit) {
    const { method, path, query, data } = visit;
    if (method === 'POST') return change(visit);
    if (path === '/') return show(visit, 'Ships of the world', register());
    if (path === '/all') return show(visit, 'All ships', all(data));
    if (path !== '/api/ships') return undefined;
    await pause(200);
    const found = select(data.ships, {
      text: query.get('q') ?? '',
      // Only what the page itself sends.
      sorting: { by: query.get('by') as Sorting['by'], isDown: query.get('down') === 'yes' },
    });
    const at = Number(query.get('page')) || 1;
    return json({ total: found.length, rows: found.slice((at - 1) * pageSize, at * pageSize) });
  },
};

const show = ({ here }: TablesVisit, title: string, content: Markup) => page(brand, here, title, content);

/** The ships that fit, in the order that is asked for; where that leaves two equal, by their number. */
export function select(ships: Ship[], { text, sorting }: { text: string; sorting: Sorting }): Ship[] {
  const found = ships.filter(({ name, port }) => `${name} ${port}`.toLowerCase().includes(text.toLowerCase()));
  const value = (ship: Ship) =>
    ({ Name: ship.name, Port: ship.port, Length: ship.length, Year: ship.year, Number: ship.id })[sorting.by] ??
    ship.id;
  const sign = sorting.isDown ? -1 : 1;
  return found.toSorted((one, other) => {
    const [left, right] = [value(one), value(other)];
    return left === right ? one.id - other.id : left < right ? -sign : sign;
  });
}

function change({ path, form, data }: TablesVisit) {
  const ship = data.ships.find(({ id }) => id === Number(field(form, 'id')));
  if (!ship) return refuse(422, 'There is no such ship.');
  if (path === '/name') ship.name = field(form, 'name');
  else if (path === '/mark') ship.isMarked = true;
  else return undefined;
  return json({});
}

const register = () => html`
  <div class="bar"><label>Filter <input id="q" type="search" autocomplete="off"></label>
    <button class="icon" id="before" aria-label="Previous page">‹</button><span id="state" role="status">Loading…</span>
    <button class="icon" id="after" aria-label="Next page">›</button>
    <label>Page <input id="go" type="number" min="1" style="min-width:90px"></label></div>
  <table><caption>Registered ships</caption><thead><tr><th>No.</th>${sortable.map(
    (one) => html`<th><button class="sort">${one}</button></th>`,
  )}</tr></thead><tbody id="rows"></tbody></table>
  <script>
    const at = (id) => document.getElementById(id);
    const view = { page: 1, by: 'Number', down: '', q: '' };
    let asked = 0;
    async function load() {
      const turn = ++asked;
      at('state').textContent = 'Loading…';
      const { total, rows } = await (await fetch('api/ships?' + new URLSearchParams(view))).json();
      if (turn !== asked) return;
      const pages = Math.max(1, Math.ceil(total / ${pageSize}));
      at('rows').replaceChildren(...rows.map(row));
      at('before').disabled = view.page === 1;
      at('after').disabled = view.page === pages;
      at('state').textContent = 'Page ' + view.page + ' of ' + pages + ', ' + total + ' ships by ' + view.by + (view.down ? ', downwards' : '');
    }
    function row(ship) {
      const line = document.createElement('tr');
      for (const text of [ship.id, ship.name, ship.port, ship.length, ship.year]) {
        const cell = document.createElement('td');
        cell.textContent = text;
        line.append(cell);
      }
      line.cells[1].id = 'name-' + ship.id;
      line.cells[1].ondblclick = () => edit(ship, line.cells[1]);
      return line;
    }
    function edit(ship, cell) {
      const input = document.createElement('input');
      input.ariaLabel = 'Name of ship ' + ship.id;
      input.value = ship.name;
      cell.replaceChildren(input);
      input.focus();
      input.onkeydown = async (event) => {
        if (event.key !== 'Enter') return;
        await send('name', { id: ship.id, name: input.value });
        cell.replaceChildren(input.value);
        toast('Saved ship ' + ship.id);
      };
    }
    at('before').onclick = () => { view.page -= 1; load() };
    at('after').onclick = () => { view.page += 1; load() };
    at('go').onkeydown = (event) => { if (event.key === 'Enter') { view.page = Number(at('go').value); load() } };
    at('q').oninput = () => { view.q = at('q').value; view.page = 1; load() };
    for (const button of document.querySelectorAll('.sort')) button.onclick = () => {
      const by = button.textContent;
      view.down = view.by === by && !view.down ? 'yes' : '';
      view.by = by;
      view.page = 1;
      load();
    };
    load();
  </script>`;

const all = ({ ships }: TablesData) => html`<p>${ships.length} ships</p>
  <table><tbody>${ships.map(
    ({
      id,
      name,
      port,
    }) => html`<tr id="ship-${id}"><td>${id}</td><td class="name">${name}</td><td class="port">${port}</td>
    <td><button class="icon" aria-label="Mark ship ${id}" data-id="${id}">${icon('star')}</button></td></tr>`,
  )}</tbody></table>
  <script>
    document.querySelector('tbody').onclick = async ({ target }) => {
      const button = target.closest('button');
      if (!button) return;
      await send('mark', { id: button.dataset.id });
      button.style.background = '#e0a526';
      toast('Marked ship ' + button.dataset.id);
    };
  </script>`;
