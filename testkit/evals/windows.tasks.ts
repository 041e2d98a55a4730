import { lines, name, sentence } from '../scripts/script.ts';
import { harbours } from '../sites/popup.ts';
import { plan, reading, type TaskKind } from './task.ts';

/** A link opens a tab, which is in front then; closing it leads back. */
const guestBook: TaskKind = ({ random, url }) => {
  const [guest, note] = [name(random), lines(random)];
  return {
    prompt: `Sign the guest book of the club at ${url('popup')} as ${guest}, with this note in three lines:\n${note}\nHow many entries does the page of the club show then?`,
    intents: plan(
      { open: url('popup') },
      { click: 'Open the guest book' },
      { fill: { Name: guest, Note: note } },
      { click: 'Sign the book', role: 'button' },
      { tab: '/signed', close: true, when: 'Thank you' },
      { call: { name: 'go', input: { to: 'reload' } } },
      { finish: reading({ entries: /([1-9]\d*) entries/ }) },
    ),
    end: { status: 'success' },
    result: ({ popup: { entries } }) => ({ entries: String(entries.length) }),
    posts: ['popup/guest-book'],
    holds: [{ read: ({ popup }) => popup.entries, is: [{ name: guest, note }] }],
  };
};

/** A window tells the one that opened it, and closes itself. */
const harbour: TaskKind = ({ random, url }) => {
  const chosen = random.pick(harbours);
  return {
    prompt: `At ${url('popup')} choose the harbour ${chosen} and save the choice. What is saved?`,
    intents: plan(
      { open: url('popup') },
      { click: 'Choose a harbour' },
      { click: chosen, role: 'button' },
      { click: 'Save the choice' },
      { finish: reading({ saved: /Saved: (?!nothing)(.*)/ }) },
    ),
    end: { status: 'success' },
    result: ({ popup }) => ({ saved: popup.harbours.join(', ') }),
    posts: ['popup/harbour'],
    holds: [{ read: ({ popup }) => popup.harbours, is: [chosen] }],
  };
};

/** Goes to and fro between tabs. */
const tabs: TaskKind = ({ random, url }) => {
  const guest = name(random);
  return {
    prompt: `Open ${url('slow', 'first')} and, in a tab beside it, ${url('popup', 'guest-book')}. Follow the link in the first tab, then sign the book in the second as ${guest}, without a note. Whom does it thank?`,
    intents: plan(
      { open: url('slow', 'first') },
      { call: { name: 'open', input: { url: url('popup', 'guest-book'), new_tab: true } } },
      { fill: { Name: guest } },
      { tab: '/slow/first' },
      { click: 'On to the second', role: 'link' },
      { tab: '/guest-book', when: 'The second page' },
      { click: 'Sign the book', role: 'button' },
      { finish: reading({ thanked: /Thank you, (.*)\./ }) },
    ),
    end: { status: 'success' },
    result: ({ popup: { entries } }) => ({ thanked: entries[0]?.name ?? '' }),
    posts: ['popup/guest-book'],
    holds: [
      { read: ({ popup }) => popup.entries, is: [{ name: guest, note: '' }] },
      { read: ({ slow }) => slow.seen, is: ['/first', '/second'] },
    ],
  };
};

/** A form in a frame of the same origin. */
const chat: TaskKind = ({ random, url }) => {
  const said = [sentence(random, 4), sentence(random, 2), name(random)];
  return {
    prompt: `In the chat of ${url('iframe')} say these three things, one after the other, and give me what the chat shows as "said":\n${said.join('\n')}`,
    intents: plan(
      { open: url('iframe') },
      ...said.flatMap((text, index) => [
        { fill: { 'Your message': text }, ...(index > 0 && { when: said[index - 1] }) },
        { click: 'Say it' },
      ]),
      {
        call: {
          name: 'extract',
          input: { kind: 'records', as: 'said', each: '#said li', fields: [{ name: 'text' }] },
        },
        when: said[2],
      },
      { finish: undefined },
    ),
    end: { status: 'success' },
    result: ({ iframe }) => ({ said: iframe.chat.map((text) => ({ text })) }),
    posts: ['iframe/chat', 'iframe/chat', 'iframe/chat'],
    holds: [{ read: ({ iframe }) => iframe.chat, is: said }],
  };
};

/** Frames of another origin, one within the other, that tell the page around them. */
const card: TaskKind = ({ random, url }) => {
  const number = String(4000_0000_0000_0000 + random.below(1_000_000_000));
  const [holder, code] = [name(random), String(100 + random.below(900))];
  return {
    prompt: `Pay at ${url('iframe', 'pay')} with the card ${number} of ${holder}, security code ${code}: first the code, then the card. Which card was it paid with?`,
    intents: plan(
      { open: url('iframe', 'pay') },
      { fill: { 'Security code': code } },
      { click: 'Check code' },
      { fill: { 'Card number': number, 'Name on the card': holder }, when: 'Code 1 accepted' },
      { click: 'Keep card' },
      { click: 'Pay now', irreversible: true, when: `ending in ${number.slice(-4)}` },
      { finish: reading({ ending: /Paid with the card ending in (\d+)/ }) },
    ),
    end: { status: 'success' },
    result: ({ iframe }) => ({ ending: iframe.payments[0]?.ending ?? '' }),
    posts: ['iframe/code', 'iframe/card', 'iframe/pay'],
    holds: [
      {
        read: ({ iframe: { cards, codes, payments } }) => ({ cards, codes, payments }),
        is: { cards: [{ number, holder }], codes: [code], payments: [{ ending: number.slice(-4) }] },
      },
    ],
  };
};

export const windowTasks = {
  'popup: guest book': guestBook,
  'popup: harbour': harbour,
  'popup: tabs': tabs,
  'iframe: chat': chat,
  'iframe: card': card,
};
