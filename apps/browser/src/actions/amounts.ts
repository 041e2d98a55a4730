// Words of a page that look like amounts: a number with a currency, or with decimals. A yes is bound to those around it.

const maxAmounts = 30;
const currency = String.raw`(?:[€$£¥₹₽₩₺₴₪฿]|zł|kr\.?|R\$|CHF|EUR|USD|GBP|JPY|CNY|PLN|SEK|NOK|DKK|INR|RUB|BRL|元|円|руб\.?)`;
const number = String.raw`\d{1,3}(?:[ \u00a0\u202f.,'’]\d{3})*(?:[.,]\d{1,3})?|\d+(?:[.,]\d{1,3})?`;
const amount = new RegExp(
  String.raw`[-−]?${currency}\s?[-−]?(?:${number})|[-−]?(?:${number})\s?${currency}(?!\p{L})|[-−]?\d[\d .,'’]*[.,]\d{2}(?!\d)`,
  'giu',
);

/** In the order of the text, each once. */
export const amountsIn = (text: string): string[] =>
  [...new Set((text.match(amount) ?? []).map((one) => one.replace(/\s+/g, ' ').trim()))].slice(0, maxAmounts);
