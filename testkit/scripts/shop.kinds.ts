import type { Product } from '../sites/shop.ts';
import { categories } from '../sites/shop.ts';
import { money } from '../sites/web.ts';
import { at, draw, type Kind, lines, name, say } from './script.ts';

const inStock = (products: Product[]) => products.filter(({ stock }) => stock > 0);
const put = ({ name: product }: Product) => [
  say`click ${`Add ${product} to basket`}`,
  say`wait for ${`Added ${product}`}`,
];

/** Searches, buys and pays; with a coupon or a wrong one, by courier or not. */
const buy: Kind = ({ data, random, url }) => {
  const [product] = draw(random, inStock(data.shop.products), 1);
  if (!product) throw new Error('the shop is empty');
  const [buyer, address] = [name(random), lines(random)];
  const [coupon = '', percent = 0] = Object.entries(data.shop.coupons)[0] ?? [];
  const [isRight, isSent] = [random.is(0.5), random.is(0.5)];
  const total = product.price - (isRight ? Math.round((product.price * percent) / 100) : 0) + (isSent ? 790 : 0);
  return {
    ask: {
      lines: [
        '# Buys one thing.',
        say`let product = ${product.name}`,
        say`open ${at(url('shop'))}`,
        'wait for "things found"',
        say`type ${product.name.slice(0, 5)} into "Search the shop"`,
        'click "Find"',
        'wait for "found"',
        'click "Add {product} to basket"',
        'wait for "Added {product}"',
        'click "Basket"',
        'click link "Check out"',
        say`type ${buyer} into "Name"`,
        say`fill "Address" with ${address}`,
        ...(isSent ? ['check "Courier, 7.90 €"'] : []),
        say`type ${isRight ? coupon : 'NOSUCH'} into "Coupon code"`,
        'click "Apply"',
        say`wait for ${isRight ? 'Coupon accepted' : 'We do not know this code.'}`,
        'check "I agree to the terms"',
        'click button "Pay"',
        '!click "Confirm payment" -- "Pay"',
        'wait until url contains "/orders/"',
        'extract css "#number" as number',
        'extract css "#paid" as paid',
        'extract text css "#name" as name',
      ],
    },
    end: { status: 'success' },
    posts: ['shop/basket', 'shop/coupon', 'shop/pay'],
    result: ({ shop: { orders } }) => ({
      number: String(orders[0]?.number),
      paid: money(orders[0]?.total ?? 0),
      name: orders[0]?.name ?? '',
    }),
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
            coupon: isRight ? coupon : null,
            total,
          },
        ],
      },
      { read: ({ shop }) => shop.basket, is: [] },
    ],
  };
};

/** Puts things into the basket, changes the count of one and takes one out again. */
const basket: Kind = ({ data, random, url }) => {
  const chosen = draw(random, inStock(data.shop.products), 3);
  const [counted, removed, kept] = chosen;
  if (!counted || !removed || !kept) throw new Error('the shop is empty');
  const count = 2 + random.below(8);
  return {
    ask: {
      lines: [
        say`go to ${at(url('shop'))}`,
        ...chosen.flatMap(put),
        say`go to ${at(url('shop', 'basket'))}`,
        say`select ${String(count)} in ${`Count of ${counted.name}`}`,
        'wait for "Basket changed"',
        say`click ${`Remove ${removed.name}`}`,
        'wait for idle',
        'extract css "#total" as total',
        `step ${JSON.stringify({
          action: 'extract',
          kind: 'records',
          as: 'lines',
          each: '.line',
          fields: { name: { css: '.name' }, price: { css: '.price' } },
        })}`,
      ],
    },
    end: { status: 'success' },
    posts: ['shop/basket', 'shop/basket', 'shop/basket', 'shop/count', 'shop/remove'],
    result: ({ shop: { products, basket: held } }) => {
      const bought = held.map((line) => ({ ...line, ...productOf(products, line.id) }));
      return {
        total: money(bought.reduce((sum, one) => sum + one.count * one.price, 0)),
        lines: bought.map((one) => ({ name: one.name, price: money(one.price) })),
      };
    },
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

/** Narrows the goods down and reads them. */
const filter: Kind = ({ random, url }) => {
  const category = random.pick(categories);
  return {
    ask: {
      steps: [
        { action: 'navigate', url: url('shop') },
        { action: 'wait', for: { text: '12 things found' } },
        { action: 'select', target: { label: 'Category' }, option: category },
        { action: 'wait', for: { text: '3 things found' } },
        { action: 'check', target: 'In stock only', checked: true },
        { action: 'wait', for: { text: '2 things found' } },
        {
          action: 'extract',
          kind: 'records',
          as: 'goods',
          each: 'article',
          fields: { id: { attribute: 'data-id' }, name: { css: 'h2' }, price: { css: '.price', type: 'number' } },
        },
      ],
    },
    end: { status: 'success' },
    posts: [],
    result: ({ shop: { products } }) => ({
      goods: inStock(products)
        .filter((one) => one.category === category)
        .map(({ id, name: product, price }) => ({ id, name: product, price: price / 100 })),
    }),
  };
};

/** What is sold out cannot be bought. */
const soldOut: Kind = ({ data, random, url }) => {
  const [gone, other] = [
    random.pick(data.shop.products.filter(({ stock }) => stock === 0)),
    random.pick(inStock(data.shop.products)),
  ];
  return {
    ask: {
      lines: [
        say`open ${at(url('shop'))}`,
        ...put(other),
        say`click ${`Add ${gone.name} to basket`}`,
        'click "Basket"',
      ],
    },
    end: { status: 'failed', step: 4, reason: 'disabled' },
    posts: ['shop/basket'],
    holds: [{ read: ({ shop }) => shop.basket, is: [{ id: other.id, count: 1 }] }],
  };
};

function productOf(products: Product[], id: string): Product {
  const product = products.find((one) => one.id === id);
  if (!product) throw new Error(`the shop has no ${id}`);
  return product;
}

export const shopKinds = {
  'shop: buy': buy,
  'shop: basket': basket,
  'shop: filter': filter,
  'shop: sold out': soldOut,
};
