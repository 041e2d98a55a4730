// An account behind a login: a session in a cookie, and a name that is remembered in the browser.
import { type Brand, icon, page } from './look.ts';
import { field, html, type Markup, money, redirect, type Site, type Visit } from './web.ts';

export type Booking = { day: string; what: string; cents: number };
type LoginData = {
  user: string;
  password: string;
  holder: string;
  number: string;
  bookings: Booking[];
  tokens: string[];
  refusals: number;
};
type LoginVisit = Visit<LoginData>;

const holders = ['Zoë Ångström', '山田 太郎', 'Иван Петров', 'أحمد علي', 'Seán Ó Murchú', 'D’Arcy & Daughters'];
const matters = ['Fuel', 'Berth', 'Ice', 'Repairs', 'Café “Anker”'];

const brand: Brand = {
  name: 'Sailors’ Bank',
  colour: '#6b2737',
  nav: [
    ['Account', 'account'],
    ['Bookings', 'bookings'],
  ],
};

export const login: Site<LoginData> = {
  open: (random) => ({
    user: `sailor-${random.below(9000) + 1000}`,
    password: `Wind & "waves" ${random.below(9000) + 1000}`,
    holder: random.pick(holders),
    number: `SB-${random.below(900_000) + 100_000}`,
    bookings: Array.from({ length: 4 + random.below(4) }, (_, index) => ({
      day: `2031-05-${10 + index}`,
      what: random.pick(matters),
      cents: 100 * (1 + random.below(400)) + 50,
    })),
    tokens: [],
    refusals: 0,
  }),

  answer(visit) {
    const { method, path, query, data, here } = visit;
    if (path === '/') return redirect(`${here}/account`);
    if (path === '/sign-in') return method === 'POST' ? signIn(visit) : entrance(visit, query.get('next') ?? 'account');
    const token = visit.cookie('bank') ?? '';
    if (!data.tokens.includes(token)) return redirect(`${here}/sign-in?next=${encodeURIComponent(path.slice(1))}`);
    if (path === '/sign-out' && method === 'POST') {
      data.tokens = data.tokens.filter((one) => one !== token);
      return redirect(`${here}/sign-in`, { 'set-cookie': `bank=; Path=${here}; Max-Age=0` });
    }
    if (path === '/account') return show(visit, `Good day, ${data.holder}`, account(data));
    return path === '/bookings' ? show(visit, 'Bookings of the month', bookings(data)) : undefined;
  },
};

const show = ({ here }: LoginVisit, title: string, content: Markup) => page(brand, here, title, content);

function signIn(visit: LoginVisit) {
  const { data, form, here } = visit;
  const next = field(form, 'next');
  if (field(form, 'user') !== data.user || field(form, 'password') !== data.password) {
    data.refusals += 1;
    return entrance(visit, next, 'We do not know this name and password.');
  }
  const token = `token-${data.tokens.length + 1}-${data.number}`;
  data.tokens.push(token);
  return redirect(`${here}/${next}`, { 'set-cookie': `bank=${token}; Path=${here}; HttpOnly` });
}

const entrance = ({ here }: LoginVisit, next: string, error = '') =>
  page(
    { ...brand, nav: [] },
    here,
    'Please sign in',
    html`<form class="sheet" method="post" action="sign-in" id="form"><input type="hidden" name="next" value="${next}">
      ${error && html`<p class="error" role="alert" id="error">${error}</p>`}
      <label>User name <input name="user" autocomplete="off"></label>
      <div class="row"><label for="secret">Password</label><div class="bar"><input id="secret" name="password" type="password">
        <button type="button" class="icon" id="eye" aria-label="Show what is typed">${icon('eye')}</button></div></div>
      <label class="bar"><input type="checkbox" id="remember"> Remember me</label>
      <button class="primary">Sign in</button></form>
    <script>
      const form = document.getElementById('form'), key = 'name at ' + document.baseURI;
      form.elements.user.value = localStorage.getItem(key) ?? '';
      document.getElementById('eye').onclick = () => { form.elements.password.type = 'text' };
      form.addEventListener('submit', () => {
        if (document.getElementById('remember').checked) localStorage.setItem(key, form.elements.user.value);
      });
    </script>`,
  );

const account = ({ holder, number, bookings: all }: LoginData) => html`
  <dl><dt>Holder</dt><dd id="holder">${holder}</dd><dt>Number</dt><dd id="number">${number}</dd>
  <dt>Balance</dt><dd id="balance">${money(balanceOf(all))}</dd></dl>
  <form method="post" action="sign-out"><button>Sign out</button></form>`;

export const balanceOf = (bookings: Booking[]): number => bookings.reduce((sum, { cents }) => sum + cents, 0);

const bookings = ({ bookings: all }: LoginData) => html`<table><caption>Your bookings</caption>
  <thead><tr><th>Day</th><th>What</th><th>Amount</th></tr></thead>
  <tbody>${all.map(({ day, what, cents }) => html`<tr><td>${day}</td><td>${what}</td><td>${money(cents)}</td></tr>`)}</tbody></table>`;
