// Three large pages as the web has them: a list of products, a table of orders, an article with many links.

import { createRandom } from '../random.ts';

const nouns = 'lantern kettle table shelf mirror carpet basket candle cushion vase clock frame bowl tray stool'.split(
  ' ',
);
const kinds = 'brass copper oak walnut linen wool glass marble velvet cane paper iron stone birch cotton'.split(' ');
const words =
  `river harbour bridge council century trade merchant tower street market quarter church railway border valley
winter summer growing older people several during between under through became built opened closed rebuilt known called first second
north south early late large small stone wooden public private new their many most other also while after before since until`.split(
    /\s+/,
  );

const style = `<style>body { margin: 0; font: 14px sans-serif } .grid { display: grid; grid-template-columns: repeat(4, 1fr); gap: 16px; padding: 16px }
  .card { border: 1px solid #ccc; padding: 8px } td, th { padding: 6px 10px; text-align: left } article { width: 800px; margin: 0 auto; line-height: 1.5 }</style>`;
const picture = `data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg'/>`;
const header = `<header><nav><ul style="display: flex; gap: 12px; list-style: none">${[
  'Home',
  'New',
  'Lamps',
  'Kitchen',
  'Sale',
]
  .map((name) => `<li><a href="/${name.toLowerCase()}">${name}</a>`)
  .join(
    '',
  )}</ul></nav><form role=search><input type=search aria-label=Search placeholder="Search the shop"><button>Search</button></form></header>`;
const page = (title: string, body: string) =>
  `<!doctype html><meta charset=utf-8><title>${title}</title>${style}${header}<main>${body}</main><footer><a href="/imprint">Imprint</a> <a href="/terms">Terms</a></footer>`;

export function listPage(): string {
  const random = createRandom(1);
  const cards = Array.from({ length: 120 }, (_, index) => {
    const name = `${random.pick(kinds)} ${random.pick(nouns)} ${index + 1}`;
    const cents = String(random.below(100)).padStart(2, '0');
    return `<li class=card><a href="/products/${index + 1}"><img alt="${name}" width=120 height=90 src="${picture}"></a>
      <h3><a href="/products/${index + 1}">${name}</a></h3><div><span>€ ${10 + random.below(200)}.${cents}</span> <span>${1 + random.below(5)}.${random.below(10)} stars (${random.below(400)})</span></div>
      <p>${random.below(3) === 0 ? `only ${1 + random.below(5)} left` : 'in stock'}</p><button>Add to basket</button> <button aria-label="Remember ${name}">♡</button>`;
  });
  return page(
    'Lamps and more',
    `<h1>Lamps and more</h1><p>120 things</p><ul class=grid style="list-style: none">${cards.join('')}</ul>`,
  );
}

export function tablePage(): string {
  const random = createRandom(2);
  const rows = Array.from({ length: 100 }, (_, index) => {
    const who = `${random.pick(['Anna', 'Ben', 'Carla', 'Dan', 'Eva'])} ${random.pick(['Kaya', 'Lopez', 'Meyer', 'Novak', 'Olsen'])}`;
    const day = String(1 + random.below(28)).padStart(2, '0');
    return `<tr><td><input type=checkbox aria-label="Choose ${1001 + index}"><td><a href="/orders/${1001 + index}">${1001 + index}</a><td>2026-10-${day}<td><a href="/people/${index}">${who}</a><td>€ ${10 + random.below(900)}.00<td>${random.pick(['open', 'sent', 'paid', 'returned'])}<td><button>Reorder</button> <button>Cancel</button>`;
  });
  return page(
    'Orders',
    `<h1>Orders</h1><table><thead><tr><th><th>Order<th>Date<th>Customer<th>Total<th>State<th></thead><tbody>${rows.join('')}</table>`,
  );
}

export function articlePage(): string {
  const random = createRandom(3);
  const sentence = (length: number) => Array.from({ length }, () => random.pick(words)).join(' ');
  const link = () => `<a href="/wiki/${random.pick(words)}_${random.below(900)}">${sentence(1 + random.below(3))}</a>`;
  const said = () => `${sentence(6 + random.below(8))} ${link()} ${sentence(4 + random.below(8))}.`;
  const note = (index: number) => `<sup><a href="#note-${index}">[${index}]</a></sup>`;
  let notes = 0;
  const paragraph = () => {
    const all = Array.from({ length: 4 + random.below(3) }, () => {
      notes += 1;
      return said() + (notes % 2 === 0 ? note(notes / 2) : '');
    });
    return `<p>${all.join(' ')}</p>`;
  };
  const sections = Array.from({ length: 10 }, (_, index) => {
    const inner = Array.from({ length: 4 }, paragraph).join('');
    return `<h2 id=s${index}>${sentence(3)} <a href="/edit/${index}">edit</a></h2>${inner}`;
  });
  const toc = sections.map((_, index) => `<li><a href="#s${index}">${index + 1} ${sentence(3)}</a>`).join('');
  return page(
    'An old town',
    `<article><h1>An old town</h1><ul>${toc}</ul>${paragraph()}${sections.join('')}</article>`,
  );
}
