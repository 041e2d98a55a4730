import type { SeenPage } from '../models/view-text.ts';
import { draw, lines, name } from '../scripts/script.ts';
import { categories, type Product } from '../sites/shop.ts';
import { money } from '../sites/web.ts';
import { exactly, plan, reading, type TaskKind } from './task.ts';

const inStock = (products: Product[]) => products.filter(({ stock }) => stock > 0);

/** Searches, buys and pays; with a coupon or without, by courier or not. */
const buy: TaskKind = ({ data, random, url }) => {
  const product = random.pick(inStock(data.shop.products));
  const [buyer, address] = [name(random), lines(random)];
  const [coupon = '', percent = 0] = Object.entries(data.shop.coupons)[0] ?? [];
  const [hasCoupon, isSent] = [random.is(0.5), random.is(0.5)];
  const total = product.price - (hasCoupon ? Math.round((product.price * percent) / 100) : 0) + (isSent ? 790 : 0);
  return {
    prompt: [
      `In the shop at ${url('shop')}, please order one “${product.name}” and pay for it.`,
      `The name is ${buyer}, and the address, in three lines:\n${address}\n`,
      isSent ? 'A courier shall bring it.' : 'I will pick it up.',
      hasCoupon ? `My coupon is ${coupon}.` : '',
      'Tell me the number of the order and what was paid.',
    ].join(' '),
    intents: plan(
      { open: url('shop') },
      { fill: { 'Search the shop': product.name.slice(0, 5) } },
      { click: 'Find' },
      { click: `Add ${product.name} to basket` },
      { click: 'Basket', role: 'link', when: `Added ${product.name}` },
      { click: 'Check out', role: 'link' },
      { fill: { Name: buyer, Address: address } },
      ...(isSent ? [{ fill: { 'Courier, 7.90 €': true } }] : []),
      ...(hasCoupon ? [{ fill: { 'Coupon code': coupon } }, { click: 'Apply' }] : []),
      { fill: { 'I agree to the terms': true }, ...(hasCoupon && { when: 'Coupon accepted' }) },
      { click: 'Pay', role: 'button' },
      { click: 'Confirm payment', irreversible: true },
      { finish: reading({ number: /Order\s+!?\s*(\d+)/, paid: /Paid (.*€)/ }) },
    ),
    end: { status: 'success' },
    result: ({ shop: { orders } }) => ({ number: String(orders[0]?.number), paid: money(orders[0]?.total ?? 0) }),
    posts: ['shop/basket', ...(hasCoupon ? ['shop/coupon'] : []), 'shop/pay'],
    holds: [
      {
        read: ({ shop }) => shop.orders,
        is: [
          {
            number: 1001,
            lines: [{ id: product.id, count: 1 }],
            name: buyer,
            address,
            delivery: isSent ? 'courier' : 'pickup',
            coupon: hasCoupon ? coupon : null,
            total,
          },
        ],
      },
    ],
  };
};

/** Puts three things into the basket, changes the count of one and takes one out again. */
const basket: TaskKind = ({ data, random, url }) => {
  const chosen = draw(random, inStock(data.shop.products), 3);
  const [counted, removed, kept] = chosen;
  if (!counted || !removed || !kept) throw new Error('the shop is empty');
  const count = 2 + random.below(8);
  return {
    prompt:
      `Go to ${url('shop')} and put these into the basket: ${chosen.map((one) => one.name).join('; ')}. ` +
      `In the basket, make it ${count} of ${counted.name} and take ${removed.name} out again. Order nothing. What is the total?`,
    intents: plan(
      { open: url('shop') },
      ...chosen.map((one) => ({ click: `Add ${one.name} to basket` })),
      { click: 'Basket', role: 'link', when: `Added ${kept.name}` },
      { fill: { [`Count of ${counted.name}`]: String(count) } },
      { click: `Remove ${removed.name}`, when: 'Basket changed' },
      {
        finish: ({ text }: SeenPage) =>
          text.includes(removed.name) ? undefined : { total: /Total (.*€)/.exec(text)?.[1] },
      },
    ),
    end: { status: 'success' },
    result: () => ({ total: money(count * counted.price + kept.price) }),
    posts: ['shop/basket', 'shop/basket', 'shop/basket', 'shop/count', 'shop/remove'],
    holds: [
      {
        read: ({ shop }) => shop.basket,
        is: [
          { id: counted.id, count },
          { id: kept.id, count: 1 },
        ],
      },
    ],
  };
};

/** Reads a price, and changes nothing. */
const price: TaskKind = ({ data, random, url }) => {
  const product = random.pick(data.shop.products);
  return {
    prompt: `What does “${product.name}” cost at ${url('shop')}?`,
    intents: plan(
      { open: url('shop') },
      { fill: { 'Search the shop': product.name }, thenPress: 'Enter' },
      { finish: reading({ price: new RegExp(`## ${exactly(product.name)}\\n(.*€)`) }), when: '1 thing found' },
    ),
    end: { status: 'success' },
    result: () => ({ price: money(product.price) }),
    posts: [],
  };
};

/** Narrows the goods down and reads them as records. */
const filter: TaskKind = ({ random, url }) => {
  const category = random.pick(categories);
  return {
    prompt: `Which things of the category ${category} are in stock at ${url('shop')}? List name and price as "goods".`,
    intents: plan(
      { open: url('shop') },
      { fill: { Category: category, 'In stock only': true } },
      {
        call: {
          name: 'extract',
          input: {
            kind: 'records',
            as: 'goods',
            each: 'article',
            fields: [
              { name: 'name', css: 'h2' },
              { name: 'price', css: '.price', type: 'number' },
            ],
          },
        },
        when: '2 things found',
      },
      { finish: undefined },
    ),
    end: { status: 'success' },
    result: ({ shop: { products } }) => ({
      goods: inStock(products)
        .filter((one) => one.category === category)
        .map((one) => ({ name: one.name, price: one.price / 100 })),
    }),
    posts: [],
  };
};

/** What is sold out cannot be bought, and nothing else is bought in its place. */
const soldOut: TaskKind = ({ data, random, url }) => {
  const gone = random.pick(data.shop.products.filter(({ stock }) => stock === 0));
  return {
    prompt: `Put one “${gone.name}” into the basket of the shop at ${url('shop')}.`,
    intents: plan(
      { open: url('shop') },
      { fill: { 'Search the shop': gone.name } },
      { click: 'Find' },
      { giveUp: `${gone.name} is sold out.`, when: 'Sold out' },
    ),
    end: { status: 'failed', says: /sold out/ },
    posts: [],
    holds: [{ read: ({ shop }) => shop.basket, is: [] }],
  };
};

export const shopTasks = {
  'shop: buy': buy,
  'shop: basket': basket,
  'shop: price': price,
  'shop: filter': filter,
  'shop: sold out': soldOut,
};
