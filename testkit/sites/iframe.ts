// Pages in pages: a chat of the same origin, and a form for cards of another, which has a frame of its own inside.
import { type Brand, inner, page } from './look.ts';
import { field, html, type Markup, redirect, type Site, type Visit } from './web.ts';

type IframeData = {
  chat: string[];
  cards: { number: string; holder: string }[];
  codes: string[];
  payments: { ending: string }[];
};
type IframeVisit = Visit<IframeData>;

const brand: Brand = {
  name: 'Harbour Kiosk',
  colour: '#28536b',
  nav: [
    ['Chat', './'],
    ['Pay', 'pay'],
  ],
};

export const iframe: Site<IframeData> = {
  open: () => ({ chat: [], cards: [], codes: [], payments: [] }),
  answer(visit) {
    const { method, path, here, data, farOrigin } = visit;
    if (method === 'POST') return change(visit);
    if (path === '/')
      return page(brand, here, 'Ask the kiosk', html`<iframe src="chat" title="Chat" height="420"></iframe>`);
    if (path === '/chat') return inner(here, chat(data));
    if (path === '/pay') return page(brand, here, 'Pay the kiosk', pay(`${farOrigin}${here}/card`));
    if (path === '/card') return inner(here, card(data));
    if (path === '/code') return inner(here, code(data));
    const last = data.payments.at(-1);
    return path === '/paid' && last
      ? page(
          brand,
          here,
          'Paid',
          html`<p class="lead">Paid with the card ending in <b id="ending">${last.ending}</b>.</p>`,
        )
      : undefined;
  },
};

function change({ path, form, data, here }: IframeVisit) {
  if (path === '/chat') {
    data.chat.push(field(form, 'text'));
    return redirect(`${here}/chat`);
  }
  if (path === '/card') {
    data.cards.push({ number: field(form, 'number'), holder: field(form, 'holder') });
    return redirect(`${here}/card`);
  }
  if (path === '/code') {
    data.codes.push(field(form, 'code'));
    return redirect(`${here}/code`);
  }
  if (path !== '/pay') return undefined;
  data.payments.push({ ending: field(form, 'ending') });
  return redirect(`${here}/paid`);
}

const chat = ({ chat: said }: IframeData): Markup => html`<ol id="said">${said.map((one) => html`<li>${one}</li>`)}</ol>
  <form method="post" action="chat" class="bar"><label>Your message <input name="text" autocomplete="off"></label><button class="primary">Say it</button></form>`;

const pay = (card: string) => html`
  <iframe src="${card}" title="Card" height="430"></iframe>
  <form method="post" action="pay" id="form"><input type="hidden" name="ending">
    <p>Card: <b id="card">none</b></p><button class="primary" id="now" disabled>Pay now</button></form>
  <script>
    addEventListener('message', ({ data }) => {
      const form = document.getElementById('form');
      form.elements.ending.value = data.ending;
      document.getElementById('card').textContent = 'ending in ' + data.ending;
      document.getElementById('now').disabled = false;
    });
  </script>`;

function card({ cards }: IframeData): Markup {
  const ending = cards.at(-1)?.number.slice(-4);
  if (ending !== undefined)
    return html`<p>The card ending in ${ending} is kept.</p><script>parent.postMessage({ ending: '${ending}' }, '*')</script>`;
  return html`<form method="post" action="card" class="sheet"><label>Card number <input name="number" autocomplete="off"></label>
    <label>Name on the card <input name="holder" autocomplete="off"></label><button class="primary">Keep card</button></form>
    <iframe src="code" title="Code" height="110"></iframe>`;
}

const code = ({ codes }: IframeData): Markup =>
  codes.length > 0
    ? html`<p>Code ${codes.length} accepted</p>`
    : html`<form method="post" action="code" class="bar"><input name="code" placeholder="Security code" autocomplete="off"><button>Check code</button></form>`;
