const goods = [
  ['lantern', 'Brass lantern', 48, '#c98a2b'],
  ['compass', 'Pocket compass', 32, '#2f6f8f'],
  ['rope', 'Mooring rope, 20 m', 27, '#8a6d4b'],
  ['chart', 'Chart of the bay', 19, '#4b8a6d'],
  ['kettle', 'Galley kettle', 36, '#7a4b8a'],
  ['coat', 'Oilskin coat', 120, '#b5a02b'],
] as const;

export const products = goods.map(([id, name, price, colour]) => ({
  id,
  name,
  card: `<article><div class="picture" style="background:${colour}"></div><h2>${name}</h2><p>${price} €</p>
    <form method="post" action="/basket"><input type="hidden" name="product" value="${id}">
    <button aria-label="Add ${name} to basket">Add to basket</button></form></article>`,
}));

export const pricesCsv = () => `product,price\n${goods.map(([, name, price]) => `"${name}",${price}\n`).join('')}`;

/** Not linked from the other pages: a file to take, and a field for one to give. */
export const pricesPage = `<p class="lead"><a href="/prices.csv">Price list</a></p>
  <form><label>Shopping list <input type="file" aria-label="Shopping list"></label> <output>nothing yet</output></form>
  <script>
    document.querySelector('input[type=file]').onchange = ({ target: { files: [file] } }) => {
      document.querySelector('output').textContent = file.name + ', ' + file.size + ' bytes';
    };
  </script>`;

/** One page of the shop. */
export const layout = (title: string, content: string, basketCount: number): string => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${title}</title><style>
  body { margin: 0; font: 16px/1.5 "Liberation Sans", sans-serif; color: #1c2b33; background: #f4f1ea }
  header { display: flex; gap: 24px; align-items: center; padding: 16px 32px; background: #16323f; color: #fff }
  header a { color: #fff; text-decoration: none } header .brand { font-size: 20px; font-weight: bold; margin-right: auto }
  input { font: inherit; padding: 8px 12px; border: 1px solid #b9c4c9; border-radius: 6px }
  button { font: inherit; padding: 8px 16px; border: 0; border-radius: 6px; background: #dfe7ea; cursor: pointer }
  button.primary, header button { background: #e0a526; color: #1c2b33; font-weight: bold }
  main { max-width: 1080px; margin: 0 auto; padding: 24px 32px } h1 { margin: 8px 0 24px }
  .goods { display: grid; grid-template-columns: repeat(3, 1fr); gap: 24px } article { background: #fff; border-radius: 10px; padding: 16px }
  article h2 { font-size: 17px; margin: 12px 0 0 } .picture { height: 96px; border-radius: 6px } .basket li { padding: 6px 0 }
  .lead { font-size: 18px } form label { margin-right: 12px }
</style></head><body>
<header><a class="brand" href="/">Harbour Supplies</a>
<form action="/"><input name="q" aria-label="Search" placeholder="Search the shop"> <button>Find</button></form>
<a href="/basket">Basket (${basketCount})</a></header>
<main><h1>${title}</h1><div class="${content.includes('<article>') ? 'goods' : ''}">${content}</div></main></body></html>`;
