import { balanceOf } from '../sites/login.ts';
import { money } from '../sites/web.ts';
import { at, type Kind, type Making, name, say } from './script.ts';

const signIn = ({ data: { login } }: Making, password = login.password) => [
  say`type ${login.user} into "User name"`,
  say`type ${password} into "Password"`,
  'click "Sign in"',
];

/** Asks for a page that needs a login, and is brought there after it. */
const account: Kind = (making) => {
  const isDeep = making.random.is(0.5);
  return {
    ask: {
      lines: [
        say`open ${at(making.url('login', isDeep ? 'bookings' : ''))}`,
        'wait until url contains "/sign-in"',
        ...signIn(making),
        say`wait until url contains ${isDeep ? '/bookings' : '/account'}`,
        say`open ${at(making.url('login', 'bookings'))}`,
        'extract table "Your bookings" as bookings',
        'click "Account"',
        'extract css "#holder" as holder',
        'extract css "#number" as number',
        'extract css "#balance" as balance',
      ],
    },
    end: { status: 'success' },
    posts: ['login/sign-in'],
    result: ({ login: { holder, number, bookings } }) => ({
      bookings: bookings.map(({ day, what, cents }) => ({ Day: day, What: what, Amount: money(cents) })),
      holder,
      number,
      balance: money(balanceOf(bookings)),
    }),
    holds: [{ read: ({ login }) => login.tokens.length, is: 1 }],
  };
};

/** A wrong password is refused, and the task can say so. */
const wrong: Kind = (making) => ({
  ask: {
    lines: [
      say`open ${at(making.url('login', 'account'))}`,
      ...signIn(making, name(making.random)),
      'wait for css "#error"',
      'extract css "#error" as error',
      ...signIn(making),
      'extract css "#number" as number',
    ],
  },
  end: { status: 'success' },
  posts: ['login/sign-in', 'login/sign-in'],
  result: ({ login }) => ({ error: 'We do not know this name and password.', number: login.number }),
  holds: [{ read: ({ login: { refusals, tokens } }) => [refusals, tokens.length], is: [1, 1] }],
});

/** After signing out the page is closed again, but the name is still known to the browser. */
const remember: Kind = (making) => {
  const isKept = making.random.is(0.5);
  return {
    ask: {
      lines: [
        say`open ${at(making.url('login'))}`,
        ...(isKept ? ['tick "Remember me"'] : []),
        ...signIn(making),
        'click "Sign out"',
        'wait for "Please sign in"',
        say`open ${at(making.url('login', 'account'))}`,
        'wait until url contains "sign-in"',
        'extract label "User name" as user',
      ],
    },
    end: { status: 'success' },
    posts: ['login/sign-in', 'login/sign-out'],
    result: ({ login }) => ({ user: isKept ? login.user : '' }),
    holds: [{ read: ({ login }) => login.tokens, is: [] }],
  };
};

export const loginKinds = { 'login: account': account, 'login: wrong': wrong, 'login: remember': remember };
