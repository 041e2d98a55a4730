// A shop whose goods are fetched after the page has loaded, with a basket and a payment that cannot be undone.
import { type Brand, icon, page } from './look.ts';
import { field, html, json, type Markup, money, pause, redirect, refuse, type Site, type Visit } from './web.ts';

export type Product = { id: string; name: string; category: string; price: number; stock: number; colour: string };
type Line = { id: string; count: number };
export type Order = {
  number: number;
  lines: Line[];
  name: string;
  address: string;
  delivery: string;
  coupon: string | null;
  total: number;
};
type ShopData = {
  products: Product[];
  basket: Line[];
  coupon: string | null;
  coupons: Record<string, number>;
  orders: Order[];
};
type ShopVisit = Visit<ShopData>;

export const categories = ['Deck', 'Galley', 'Clothing', 'Navigation'] as const;
const goods = [
  ['Brass lantern', 'Deck'],
  ['Mooring rope, 20 m', 'Deck'],
  ['Fender “Øre”', 'Deck'],
  ['Galley kettle', 'Galley'],
  ['Enamel mug', 'Galley'],
  ['Ship’s biscuit & salt', 'Galley'],
  ['Oilskin coat', 'Clothing'],
  ['Wool cap', 'Clothing'],
  ['Deck shoes <42>', 'Clothing'],
  ['Pocket compass', 'Navigation'],
  ['Chart of the bay', 'Navigation'],
  ['航海图 (atlas)', 'Navigation'],
] as const;
const colours = ['#c98a2b', '#2f6f8f', '#8a6d4b', '#4b8a6d', '#7a4b8a', '#b5a02b'];
const courier = 790;

const brand: Brand = {
  name: 'Harbour Supplies',
  colour: '#16323f',
  nav: [
    ['Basket', 'basket'],
    ['Orders', 'orders'],
  ],
};

export const shop: Site<ShopData> = {
  open: (random) => ({
    products: goods.map(([name, category], index) => ({
      id: `p${index + 1}`,
      name,
      category,
      price: 500 + random.below(200) * 50,
      // The first of each category is never sold out, the last always.
      stock: index % 3 === 2 ? 0 : index % 3 === 0 ? 20 : 3 + random.below(9),
      colour: random.pick(colours),
    })),
    basket: [],
    coupon: null,
    coupons: { [`TIDE${10 + random.below(90)}`]: 10 + random.below(30) },
    orders: [],
  }),

  async answer(visit) {
    const { method, path, query, data } = visit;
    if (method === 'POST') return change(visit);
    if (path === '/') return show(visit, 'Everything for the boat', front());
    if (path === '/api/products') {
      await pause(250);
      return json(found(data, query));
    }
    if (path === '/basket') return show(visit, 'Your things', basket(data));
    if (path === '/checkout') return show(visit, 'Check out', checkout(data));
    if (path === '/orders') return show(visit, 'Orders', orders(data));
    const order = data.orders.find(({ number }) => path === `/orders/${number}`);
    return order && show(visit, 'Thank you', thanks(order));
  },
};

const show = ({ here }: ShopVisit, title: string, content: Markup) => page(brand, here, title, content);

function found({ products }: ShopData, query: URLSearchParams): Product[] {
  const [text = '', category = '', inStock = ''] = ['q', 'category', 'in_stock'].map((name) => query.get(name) ?? '');
  return products.filter(
    (one) =>
      one.name.toLowerCase().includes(text.toLowerCase()) &&
      (category === '' || one.category === category) &&
      (inStock === '' || one.stock > 0),
  );
}

/** What is to be paid. */
function totalOf({ products, basket: lines, coupon, coupons }: ShopData, delivery = ''): number {
  const sum = lines.reduce(
    (all, { id, count }) => all + count * (products.find((one) => one.id === id)?.price ?? 0),
    0,
  );
  const off = coupon === null ? 0 : Math.round((sum * (coupons[coupon] ?? 0)) / 100);
  return sum - off + (delivery === 'courier' ? courier : 0);
}

function change({ path, form, data }: ShopVisit) {
  const id = field(form, 'product');
  const product = data.products.find((one) => one.id === id);
  if (path === '/basket' && product && product.stock > 0) {
    const line = data.basket.find((one) => one.id === id);
    if (line) line.count += 1;
    else data.basket.push({ id, count: 1 });
    return json({ count: data.basket.reduce((sum, one) => sum + one.count, 0) });
  }
  if (path === '/count' && product) {
    const count = Number(field(form, 'count'));
    data.basket = data.basket.map((one) => (one.id === id ? { id, count } : one));
    return json({ total: money(totalOf(data)) });
  }
  if (path === '/remove') {
    data.basket = data.basket.filter((one) => one.id !== id);
    return redirect('basket');
  }
  if (path === '/coupon') {
    const code = field(form, 'code');
    if (!Object.hasOwn(data.coupons, code)) return refuse(422, 'We do not know this code.');
    data.coupon = code;
    return json({ total: money(totalOf(data)) });
  }
  if (path === '/pay' && data.basket.length > 0) {
    const delivery = field(form, 'delivery');
    const order: Order = {
      number: 1001 + data.orders.length,
      lines: data.basket,
      name: field(form, 'name'),
      address: field(form, 'address'),
      delivery,
      coupon: data.coupon,
      total: totalOf(data, delivery),
    };
    data.orders.push(order);
    data.basket = [];
    data.coupon = null;
    return redirect(`orders/${order.number}`);
  }
  return refuse(422, 'This cannot be done.');
}

const front = () => html`
  <div class="bar"><input id="q" placeholder="Search the shop" autocomplete="off">
    <button class="icon" id="find" title="Find">${icon('find')}</button>
    <label>Category <select id="category"><option value="">All</option>${categories.map((one) => html`<option>${one}</option>`)}</select></label>
    <label><input type="checkbox" id="in_stock"> In stock only</label></div>
  <p id="state" role="status">Loading…</p><div class="cards" id="goods"></div>
  <script>
    const at = (id) => document.getElementById(id);
    async function load() {
      at('state').textContent = 'Loading…';
      const query = new URLSearchParams({ q: at('q').value, category: at('category').value, in_stock: at('in_stock').checked ? 'yes' : '' });
      const found = await (await fetch('api/products?' + query)).json();
      at('goods').replaceChildren(...found.map(card));
      at('state').textContent = found.length === 1 ? '1 thing found' : found.length + ' things found';
    }
    function card({ id, name, price, stock, colour }) {
      const box = document.createElement('article');
      box.innerHTML = '<div class="picture"></div><h2></h2><p class="price"></p><button></button>';
      box.dataset.id = id;
      box.querySelector('.picture').style.background = colour;
      box.querySelector('h2').textContent = name;
      box.querySelector('.price').textContent = (price / 100).toFixed(2) + ' €';
      const button = box.querySelector('button');
      button.textContent = stock > 0 ? 'Add to basket' : 'Sold out';
      button.ariaLabel = 'Add ' + name + ' to basket';
      button.disabled = stock === 0;
      button.onclick = async () => { await send('basket', { product: id }); toast('Added ' + name) };
      return box;
    }
    at('find').onclick = load;
    at('q').onkeydown = (event) => event.key === 'Enter' && load();
    at('category').onchange = at('in_stock').onchange = load;
    load();
  </script>`;

function basket(data: ShopData): Markup {
  if (data.basket.length === 0) return html`<p class="lead">Nothing in it yet.</p>`;
  const row = ({ id, count }: Line) => {
    const product = data.products.find((one) => one.id === id);
    const name = product?.name ?? '';
    return html`<tr class="line"><td class="name">${name}</td><td class="price">${money(product?.price ?? 0)}</td>
      <td><select aria-label="Count of ${name}" data-product="${id}">${[1, 2, 3, 4, 5, 6, 7, 8, 9].map(
        (one) => html`<option${one === count && html` selected`}>${one}</option>`,
      )}</select></td>
      <td><form method="post" action="remove"><input type="hidden" name="product" value="${id}">
        <button class="icon" title="Remove ${name}">${icon('remove')}</button></form></td></tr>`;
  };
  return html`<table><tbody>${data.basket.map(row)}</tbody></table>
    <p class="lead">Total <strong id="total">${money(totalOf(data))}</strong></p><a class="button" href="checkout">Check out</a>
    <script>
      for (const list of document.querySelectorAll('select')) list.onchange = async () => {
        const answer = await send('count', { product: list.dataset.product, count: list.value });
        document.getElementById('total').textContent = (await answer.json()).total;
        toast('Basket changed');
      };
    </script>`;
}

const checkout = (data: ShopData) => html`
  <form class="sheet" method="post" action="pay" id="form">
    <label>Name <input name="name" autocomplete="off" required></label>
    <label>Address <textarea name="address" required></textarea></label>
    <fieldset><legend>Delivery</legend><label><input type="radio" name="delivery" value="pickup" checked> Pick up</label>
      <label><input type="radio" name="delivery" value="courier"> Courier, ${money(courier)}</label></fieldset>
    <div class="bar"><input id="code" placeholder="Coupon code" autocomplete="off"> <button type="button" id="apply">Apply</button></div>
    <p id="said" role="status"></p><p class="lead">Goods <strong id="total">${money(totalOf(data))}</strong></p>
    <label class="bar"><input type="checkbox" id="agree"> I agree to the terms</label>
    <button class="primary" type="button" id="pay" disabled>Pay</button>
  </form>
  <dialog id="sure" aria-labelledby="ask"><h2 id="ask">Pay now?</h2><p>This cannot be undone.</p>
    <div class="bar"><button id="no">Not yet</button><button class="primary" id="yes">Confirm payment</button></div></dialog>
  <script>
    const at = (id) => document.getElementById(id);
    at('agree').onchange = () => later(300, () => { at('pay').disabled = !at('agree').checked });
    at('pay').onclick = () => at('form').reportValidity() && at('sure').showModal();
    at('no').onclick = () => at('sure').close();
    at('yes').onclick = () => at('form').submit();
    at('apply').onclick = async () => {
      const answer = await send('coupon', { code: at('code').value });
      const { message, total } = await answer.json();
      at('said').textContent = answer.ok ? 'Coupon accepted' : message;
      if (answer.ok) at('total').textContent = total;
    };
  </script>`;

const thanks = ({ number, name, total }: Order) => html`<p class="lead">Order <output id="number">${number}</output>
  for <span id="name">${name}</span> is on its way.</p><p>Paid <strong id="paid">${money(total)}</strong></p>`;

const orders = ({ orders: all }: ShopData) =>
  html`<ul>${all.map(({ number, total }) => html`<li>Order ${number}: ${money(total)}</li>`)}</ul>`;
