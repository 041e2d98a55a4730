import { at, type Kind, lines, type Making, name, say, sentence } from './script.ts';

const signIn = ({ data: { mail }, url }: Making) => [
  say`open ${at(url('mail'))}`,
  'wait until url contains "/login"',
  say`type ${mail.user} into "E-mail"`,
  say`type ${mail.password} into label "Password"`,
  'click "Sign in"',
  'wait for "All messages"',
];

const compose: Kind = (making) => {
  const { random } = making;
  const [to, subject, body] = [name(random), sentence(random, 3), lines(random)];
  return {
    ask: {
      lines: [
        ...signIn(making),
        'click "Write a message"',
        say`type ${to} into "To"`,
        say`type ${subject} into "Subject"`,
        say`type ${body} into "Message"`,
        'extract label "Message" as typed',
        '!click "Send"',
        'wait for "1 sent"',
        'extract css ".to" as to',
        'extract css ".subject" as subject',
      ],
    },
    end: { status: 'success' },
    posts: ['mail/login', 'mail/send'],
    result: ({ mail: { sent } }) => ({
      typed: sent[0]?.body ?? '',
      to: sent[0]?.to ?? '',
      subject: sent[0]?.subject ?? '',
    }),
    holds: [{ read: ({ mail }) => mail.sent, is: [{ to, subject, body, answers: null }] }],
  };
};

/** Reads the list, opens one message and answers it. */
const reply: Kind = (making) => {
  const { data, random } = making;
  const message = random.pick(data.mail.messages);
  const body = sentence(random, 6);
  return {
    ask: {
      lines: [
        ...signIn(making),
        'extract table "All messages" as messages',
        say`click link ${message.subject}`,
        'wait for "Fair winds!"',
        'extract css "#from" as from',
        'click "Reply"',
        say`write ${body} in "Message"`,
        'press Tab in "Message"',
        '!press Enter -- "Send it with the key"',
        'wait until url contains "/sent"',
      ],
    },
    end: { status: 'success' },
    posts: ['mail/login', 'mail/send'],
    result: ({ mail }) => ({
      messages: mail.messages.map(({ from, subject, received }) => ({
        From: from,
        Subject: subject,
        Received: received,
      })),
      from: mail.sent[0]?.to ?? '',
    }),
    holds: [
      {
        read: ({ mail }) => mail.sent,
        is: [{ to: message.from, subject: `Re: ${message.subject}`, body, answers: message.id }],
      },
    ],
  };
};

/** The page asks before it deletes; sometimes the answer is no. */
const remove: Kind = (making) => {
  const { data, random } = making;
  const ids = data.mail.messages.map(({ id }) => id);
  const message = random.pick(data.mail.messages);
  const isSure = random.is(0.6);
  return {
    ask: {
      lines: [
        ...signIn(making),
        say`click ${message.subject}`,
        '!click "Delete message"',
        isSure ? 'accept dialog' : 'dismiss the dialog',
        ...(isSure ? [] : ['click "Inbox"']),
        'wait for "All messages"',
        'extract css "#count" as count',
      ],
    },
    end: { status: 'success' },
    posts: isSure ? ['mail/login', 'mail/delete'] : ['mail/login'],
    result: ({ mail }) => ({ count: `${mail.messages.length} messages` }),
    holds: [
      { read: ({ mail }) => mail.messages.map(({ id }) => id), is: ids.filter((id) => !isSure || id !== message.id) },
    ],
  };
};

/** The page asks for a text. */
const folder: Kind = (making) => {
  const called = name(making.random);
  return {
    ask: {
      lines: [
        ...signIn(making),
        'click "New folder"',
        say`accept dialog with ${called}`,
        say`wait for ${called}`,
        'extract css "#folders li:last-child" as folder',
      ],
    },
    end: { status: 'success' },
    posts: ['mail/login', 'mail/folders'],
    result: ({ mail }) => ({ folder: mail.folders.at(-1) ?? '' }),
    holds: [{ read: ({ mail }) => mail.folders, is: ['Inbox', 'Archive', called] }],
  };
};

export const mailKinds = {
  'mail: compose': compose,
  'mail: reply': reply,
  'mail: delete': remove,
  'mail: folder': folder,
};
