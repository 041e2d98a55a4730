import { harbours } from '../sites/popup.ts';
import { at, type Kind, lines, name, say, sentence } from './script.ts';

/** A link opens a tab, which is in front then; closing it leads back. */
const guestBook: Kind = ({ random, url }) => {
  const [guest, note] = [name(random), lines(random)];
  return {
    ask: {
      lines: [
        say`open ${at(url('popup'))}`,
        'click "Open the guest book"',
        'wait for "Sign the book"',
        say`type ${guest} into "Name"`,
        say`type ${note} into "Note"`,
        'click "Sign the book"',
        'extract css "#who" as who',
        'close page',
        'reload',
        'extract css "#entries" as entries',
      ],
    },
    end: { status: 'success' },
    posts: ['popup/guest-book'],
    result: ({ popup: { entries } }) => ({ who: entries[0]?.name ?? '', entries: `${entries.length} entries` }),
    holds: [{ read: ({ popup }) => popup.entries, is: [{ name: guest, note }] }],
  };
};

/** A window tells the one that opened it, and closes itself. */
const choose: Kind = ({ random, url }) => {
  const harbour = random.pick(harbours);
  return {
    ask: {
      lines: [
        say`open ${at(url('popup'))}`,
        'click "Choose a harbour"',
        'wait until url contains "/harbours"',
        say`click button ${harbour}`,
        'click "Save the choice"',
        say`wait for ${`Saved: ${harbour}`}`,
        'extract css "#saved" as saved',
      ],
    },
    end: { status: 'success' },
    posts: ['popup/harbour'],
    result: ({ popup }) => ({ saved: popup.harbours.join(', ') }),
    holds: [{ read: ({ popup }) => popup.harbours, is: [harbour] }],
  };
};

/** Goes to and fro between tabs. */
const tabs: Kind = ({ random, url }) => {
  const guest = name(random);
  return {
    ask: {
      lines: [
        say`open ${at(url('slow', 'first'))}`,
        say`new page ${at(url('popup', 'guest-book'))}`,
        say`type ${guest} into "Name"`,
        'focus page p1',
        'extract css "#which" as before',
        'click "On to the second"',
        'switch to tab p2',
        'extract label "Name" as typed',
        'click "Sign the book"',
        'wait for "Thank you"',
        'close tab p2',
        'extract css "#which" as after',
      ],
    },
    end: { status: 'success' },
    posts: ['popup/guest-book'],
    result: ({ popup: { entries } }) => ({
      before: 'The first page',
      typed: entries[0]?.name ?? '',
      after: 'The second page',
    }),
    holds: [
      { read: ({ popup }) => popup.entries, is: [{ name: guest, note: '' }] },
      { read: ({ slow }) => slow.seen, is: ['/first', '/second'] },
    ],
  };
};

/** A form in a frame of the same origin. */
const chat: Kind = ({ random, url }) => {
  const said = [sentence(random, 4), sentence(random, 2), name(random)];
  return {
    ask: {
      lines: [
        say`open ${at(url('iframe'))}`,
        ...said.flatMap((text, index) => [
          say`type ${text} into "Your message"`,
          'click "Say it"',
          say`wait for css ${`#said li:nth-child(${index + 1})`}`,
        ]),
        `step ${JSON.stringify({ action: 'extract', kind: 'records', as: 'said', each: '#said li', fields: { text: {} } })}`,
      ],
    },
    end: { status: 'success' },
    posts: ['iframe/chat', 'iframe/chat', 'iframe/chat'],
    result: ({ iframe }) => ({ said: iframe.chat.map((text) => ({ text })) }),
    holds: [{ read: ({ iframe }) => iframe.chat, is: said }],
  };
};

/** Frames of another origin, one within the other, that tell the page around them. */
const card: Kind = ({ random, url }) => {
  const number = String(4000_0000_0000_0000 + random.below(1_000_000_000));
  const [holder, code] = [name(random), String(100 + random.below(900))];
  return {
    ask: {
      lines: [
        say`open ${at(url('iframe', 'pay'))}`,
        say`type ${code} into "Security code" in frame "localhost"`,
        'click "Check code" in frame "localhost"',
        'wait for "Code 1 accepted"',
        say`type ${number} into "Card number" in frame "localhost"`,
        say`type ${holder} into "Name on the card" in frame "Card"`,
        'click "Keep card" in frame "Card"',
        say`wait for ${`Card: ending in ${number.slice(-4)}`}`,
        '!click "Pay now"',
        'wait until url contains "/paid"',
        'extract css "#ending" as ending',
      ],
    },
    end: { status: 'success' },
    posts: ['iframe/code', 'iframe/card', 'iframe/pay'],
    result: ({ iframe }) => ({ ending: iframe.payments[0]?.ending ?? '' }),
    holds: [
      {
        read: ({ iframe: { cards, codes, payments } }) => ({ cards, codes, payments }),
        is: { cards: [{ number, holder }], codes: [code], payments: [{ ending: number.slice(-4) }] },
      },
    ],
  };
};

export const windowKinds = {
  'popup: guest book': guestBook,
  'popup: choose': choose,
  'popup: tabs': tabs,
  'iframe: chat': chat,
  'iframe: card': card,
};
