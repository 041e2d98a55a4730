// A mailbox behind a login, which asks before it deletes and wants a name for a folder.
import { type Brand, icon, page } from './look.ts';
import { field, html, literal, type Markup, redirect, type Site, type Visit } from './web.ts';

export type Message = { id: number; from: string; subject: string; body: string; received: string; folder: string };
export type SentMail = { to: string; subject: string; body: string; answers: number | null };
type MailData = {
  user: string;
  password: string;
  token: string;
  logins: number;
  messages: Message[];
  sent: SentMail[];
  folders: string[];
};
type MailVisit = Visit<MailData>;

const people = ['Åsa Lindqvist', 'Jürgen Groß', '李娜', 'Марина К.', 'Aoife Ní Bhriain', 'Harbour office'];
const matters = [
  'Berth 14',
  'Re: the anchor',
  'Invoice & reminder',
  'Tide table “spring”',
  '明天的潮水',
  '<Urgent> fog',
];

const brand: Brand = {
  name: 'Harbour Mail',
  colour: '#39405f',
  nav: [
    ['Inbox', './'],
    ['Write a message', 'compose'],
    ['SentMail mail', 'sent'],
  ],
};

export const mail: Site<MailData> = {
  open: (random) => ({
    user: `skipper${random.below(900) + 100}@harbour.example`,
    password: `kn0t-${random.below(90_000) + 10_000}`,
    token: `t${random.below(2 ** 31)}`,
    logins: 0,
    messages: Array.from({ length: 6 + random.below(6) }, (_, index) => ({
      id: 11 + index,
      from: random.pick(people),
      // The number makes the subject the only one of its kind.
      subject: `${random.pick(matters)} no. ${index + 1}`,
      body: `Dear skipper,\nthis is message ${index + 1} of many.\nFair winds!`,
      received: `2031-0${1 + random.below(9)}-1${random.below(10)}`,
      folder: 'Inbox',
    })),
    sent: [],
    folders: ['Inbox', 'Archive'],
  }),

  answer(visit) {
    const { method, path, query, data, here } = visit;
    if (path === '/login') return method === 'POST' ? signIn(visit) : login(visit);
    if (visit.cookie('mail') !== data.token) return redirect(`${here}/login`);
    if (method === 'POST') return change(visit);
    if (path === '/') return show(visit, 'Welcome back', inbox(data));
    if (path === '/sent') return show(visit, 'SentMail mail', sent(data));
    if (path === '/compose') return show(visit, 'New message', compose(data, Number(query.get('answers'))));
    const message = data.messages.find(({ id }) => path === `/messages/${id}`);
    return message && show(visit, message.subject, reading(message));
  },
};

const show = ({ here }: MailVisit, title: string, content: Markup) => page(brand, here, title, content);

const login = ({ here }: MailVisit, error = '') =>
  page(
    { ...brand, nav: [] },
    here,
    'Sign in to your mail',
    html`<form class="sheet" method="post" action="login">
      ${error && html`<p class="error" role="alert">${error}</p>`}
      <label for="user">E-mail</label><input id="user" name="user" type="email" autocomplete="off">
      <label for="password">Password</label><input id="password" name="password" type="password">
      <button class="primary">Sign in</button></form>`,
  );

function signIn(visit: MailVisit) {
  const { data, form, here } = visit;
  const isRight = field(form, 'user') === data.user && field(form, 'password') === data.password;
  if (!isRight) return login(visit, 'The e-mail or the password is wrong.');
  data.logins += 1;
  return redirect(`${here}/`, { 'set-cookie': `mail=${data.token}; Path=${here}; HttpOnly; SameSite=Lax` });
}

function change({ path, form, data, here }: MailVisit) {
  const id = Number(field(form, 'id'));
  if (path === '/send') {
    const [to, subject, body] = [field(form, 'to'), field(form, 'subject'), field(form, 'body')];
    data.sent.push({ to, subject, body, answers: id || null });
    return redirect(`${here}/sent`);
  }
  if (path === '/delete') {
    data.messages = data.messages.filter((one) => one.id !== id);
    return redirect(`${here}/`);
  }
  if (path === '/folders') {
    data.folders.push(field(form, 'name'));
    return redirect(`${here}/`);
  }
  return undefined;
}

const inbox = ({ messages, folders }: MailData) => html`
  <div class="bar"><strong>Folders</strong><ul class="bar" id="folders">${folders.map((one) => html`<li>${one}</li>`)}</ul>
    <button id="add" aria-label="New folder">${icon('add')}</button></div>
  <form id="folder" method="post" action="folders"><input type="hidden" name="name"></form>
  <table><caption>All messages</caption><thead><tr><th>From</th><th>Subject</th><th>Received</th></tr></thead>
  <tbody>${messages.map(
    ({ id, from, subject, received }) =>
      html`<tr><td>${from}</td><td><a href="messages/${id}">${subject}</a></td><td>${received}</td></tr>`,
  )}</tbody></table><p id="count">${messages.length} messages</p>
  <script>
    document.getElementById('add').onclick = () => {
      const name = prompt('Name of the folder');
      if (!name) return;
      const form = document.getElementById('folder');
      form.elements.name.value = name;
      form.submit();
    };
  </script>`;

const reading = ({ id, from, subject, body }: Message) => html`
  <p>From <strong id="from">${from}</strong></p><pre id="body">${body}</pre>
  <div class="bar"><a class="button" href="compose?answers=${id}">Reply</a>
  <form method="post" action="delete" id="delete"><input type="hidden" name="id" value="${id}">
    <button class="icon" aria-label="Delete message">${icon('bin')}</button></form></div>
  <script>
    document.getElementById('delete').onsubmit = () => confirm('Delete “' + ${literal(subject)} + '”?');
  </script>`;

function compose({ messages }: MailData, answers: number): Markup {
  const message = messages.find(({ id }) => id === answers);
  return html`<form class="sheet" method="post" action="send"><input type="hidden" name="id" value="${answers || ''}">
    <input name="to" placeholder="To" value="${message?.from}" autocomplete="off">
    <label>Subject <input name="subject" value="${message && `Re: ${message.subject}`}" autocomplete="off"></label>
    <label>Message <textarea name="body" rows="8"></textarea></label>
    <button class="primary">Send</button></form>`;
}

const sent = ({ sent: all }: MailData) => html`<p class="lead">${all.length} sent</p>
  <ol>${all.map(({ to, subject }) => html`<li><span class="to">${to}</span>: <span class="subject">${subject}</span></li>`)}</ol>`;
