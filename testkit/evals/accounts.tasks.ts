import type { Intent } from '../models/teacher.ts';
import { lines, type Making, name, sentence } from '../scripts/script.ts';
import { balanceOf } from '../sites/login.ts';
import { money } from '../sites/web.ts';
import { exactly, plan, reading, type TaskKind } from './task.ts';

const mailbox = ({ data: { mail }, url }: Making) =>
  `In the mailbox at ${url('mail')} (e-mail ${mail.user}, password ${mail.password})`;

const openMail = ({ data: { mail }, url }: Making): Intent[] => [
  { open: url('mail') },
  { fill: { 'E-mail': mail.user, Password: mail.password } },
  { click: 'Sign in', role: 'button' },
];

const compose: TaskKind = (making) => {
  const { random } = making;
  const [to, subject, body] = [name(random), sentence(random, 3), lines(random)];
  return {
    prompt: `${mailbox(making)} write to ${to} with the subject “${subject}”, and send it. The text, in three lines:\n${body}\nHow many were sent?`,
    intents: plan(
      ...openMail(making),
      { click: 'Write a message', when: 'All messages' },
      { fill: { To: to, Subject: subject, Message: body } },
      { click: 'Send', role: 'button', irreversible: true },
      { finish: reading({ sent: /(\d+) sent/ }) },
    ),
    end: { status: 'success' },
    result: ({ mail: { sent } }) => ({ sent: String(sent.length) }),
    posts: ['mail/login', 'mail/send'],
    holds: [{ read: ({ mail }) => mail.sent, is: [{ to, subject, body, answers: null }] }],
  };
};

const reply: TaskKind = (making) => {
  const { data, random } = making;
  const message = random.pick(data.mail.messages);
  const body = sentence(random, 6);
  return {
    prompt: `${mailbox(making)} answer the message “${message.subject}” with this line: ${body}\nTo whom did it go?`,
    intents: plan(
      ...openMail(making),
      { click: message.subject, role: 'link' },
      { click: 'Reply', when: 'Fair winds!' },
      { fill: { Message: body } },
      { click: 'Send', role: 'button', irreversible: true },
      { finish: reading({ to: new RegExp(`(\\S.*): ${exactly(`Re: ${message.subject}`)}`) }), when: '1 sent' },
    ),
    end: { status: 'success' },
    result: () => ({ to: message.from }),
    posts: ['mail/login', 'mail/send'],
    holds: [
      {
        read: ({ mail }) => mail.sent,
        is: [{ to: message.from, subject: `Re: ${message.subject}`, body, answers: message.id }],
      },
    ],
  };
};

/** The page asks before it deletes; sometimes the answer is no. */
const remove: TaskKind = (making) => {
  const { data, random } = making;
  const ids = data.mail.messages.map(({ id }) => id);
  const message = random.pick(data.mail.messages);
  const isSure = random.is(0.6);
  return {
    prompt:
      `${mailbox(making)} open the message “${message.subject}” and press delete. When it asks whether you are sure, ` +
      `say ${isSure ? 'yes' : 'no: I only want to know that it asks'}. How many messages are in the inbox then?`,
    intents: plan(
      ...openMail(making),
      { click: message.subject, role: 'link' },
      { click: 'Delete message', irreversible: true },
      { accept: isSure },
      ...(isSure ? [] : [{ click: 'Inbox', role: 'link' }]),
      { finish: reading({ count: /(\d+) messages/ }), when: 'All messages' },
    ),
    end: { status: 'success' },
    result: ({ mail }) => ({ count: String(mail.messages.length) }),
    posts: isSure ? ['mail/login', 'mail/delete'] : ['mail/login'],
    holds: [
      { read: ({ mail }) => mail.messages.map(({ id }) => id), is: ids.filter((id) => !isSure || id !== message.id) },
    ],
  };
};

/** The page asks for a text. */
const folder: TaskKind = (making) => {
  const called = name(making.random);
  return {
    prompt: `${mailbox(making)} make a new folder that is called ${called}`,
    intents: plan(
      ...openMail(making),
      { click: 'New folder' },
      { accept: true, text: called },
      { finish: { made: called }, when: called },
    ),
    end: { status: 'success' },
    result: ({ mail }) => ({ made: mail.folders.at(-1) ?? '' }),
    posts: ['mail/login', 'mail/folders'],
    holds: [{ read: ({ mail }) => mail.folders, is: ['Inbox', 'Archive', called] }],
  };
};

/** Reads the whole list, by code. */
const inbox: TaskKind = (making) => ({
  prompt: `${mailbox(making)} list all messages as "messages": From, Subject and Received of each.`,
  intents: plan(
    ...openMail(making),
    { call: { name: 'extract', input: { kind: 'table', as: 'messages' } }, when: 'All messages' },
    { finish: undefined },
  ),
  end: { status: 'success' },
  result: ({ mail }) => ({
    messages: mail.messages.map(({ from, subject, received }) => ({
      From: from,
      Subject: subject,
      Received: received,
    })),
  }),
  posts: ['mail/login'],
});

const signIn = ({ data: { login } }: Making, password = login.password): Intent[] => [
  { fill: { 'User name': login.user, Password: password } },
  { click: 'Sign in', role: 'button' },
];

/** Asks for a page that needs a login, and is brought there after it. */
const account: TaskKind = (making) => {
  const { data, random, url } = making;
  const isDeep = random.is(0.5);
  return {
    prompt: `Sign in at ${url('login', isDeep ? 'bookings' : '')} as ${data.login.user} with the password ${data.login.password} and tell me number and balance of the account.`,
    intents: plan(
      { open: url('login', isDeep ? 'bookings' : '') },
      ...signIn(making),
      ...(isDeep ? [{ click: 'Account', role: 'link', when: 'Your bookings' }] : []),
      { finish: reading({ number: /(SB-\d+)/, balance: /Balance\W*(\d[\d.]* €)/ }) },
    ),
    end: { status: 'success' },
    result: ({ login: { number, bookings } }) => ({ number, balance: money(balanceOf(bookings)) }),
    posts: ['login/sign-in'],
    holds: [{ read: ({ login }) => login.tokens.length, is: 1 }],
  };
};

/** A password that is wrong is tried once. */
const wrong: TaskKind = (making) => {
  const { data, url } = making;
  const password = `not-${data.login.password.length}`;
  return {
    prompt: `Sign in at ${url('login')} as ${data.login.user} with the password ${password} and tell me the balance. Try it once only.`,
    intents: plan({ open: url('login') }, ...signIn(making, password), {
      giveUp: 'The bank does not know this name and password.',
      when: 'We do not know this name',
    }),
    end: { status: 'failed', says: /does not know/ },
    posts: ['login/sign-in'],
    holds: [{ read: ({ login: { refusals, tokens } }) => [refusals, tokens.length], is: [1, 0] }],
  };
};

/** After signing out the page is closed again, but the name is still known to the browser. */
const signOut: TaskKind = (making) => {
  const { data, url } = making;
  return {
    prompt: `Sign in at ${url('login')} as ${data.login.user} with the password ${data.login.password}, so that the browser remembers me, and sign out again. Which name does the form show?`,
    intents: plan(
      { open: url('login') },
      { fill: { 'Remember me': true } },
      ...signIn(making),
      { click: 'Sign out' },
      { finish: reading({ user: /field "User name" = "([^"]+)"/ }), when: 'Please sign in' },
    ),
    end: { status: 'success' },
    result: ({ login }) => ({ user: login.user }),
    posts: ['login/sign-in', 'login/sign-out'],
    holds: [{ read: ({ login }) => login.tokens, is: [] }],
  };
};

export const accountTasks = {
  'mail: compose': compose,
  'mail: reply': reply,
  'mail: delete': remove,
  'mail: folder': folder,
  'mail: inbox': inbox,
  'login: account': account,
  'login: wrong password': wrong,
  'login: sign out': signOut,
};
