import { at, draw, type Kind, say, sentence } from './script.ts';

const patient = [
  ['late', 'Late button'],
  ['disabled', 'Patient button'],
  ['moving', 'Moving button'],
] as const;

/** What comes late, is disabled for a while or moves is waited for, and pressed once. */
const patience: Kind = ({ random, url }) => {
  const order = draw(random, patient, 3);
  return {
    ask: {
      lines: [
        ...order.flatMap(([what, button], index) => [
          say`open ${at(url('slow', `${what}?ms=${300 + random.below(1500)}`))}`,
          say`click ${button}`,
          say`wait for ${`Pressed ${what}, ${index + 1} in all`}`,
        ]),
        'extract css "#state" as state',
      ],
    },
    end: { status: 'success' },
    posts: ['slow/press', 'slow/press', 'slow/press'],
    result: ({ slow: { pressed } }) => ({ state: `Pressed ${pressed.at(-1)}, ${pressed.length} in all` }),
    holds: [{ read: ({ slow }) => slow.pressed, is: order.map(([what]) => what) }],
  };
};

/** Something sticks in front of the button, or a dialog lies over all of it. */
const covered: Kind = ({ random, url }) => ({
  ask: {
    lines: [
      say`open ${at(url('slow', 'covered'))}`,
      'click "Button far below"',
      'wait for "Pressed covered"',
      say`open ${at(url('slow', `banner?ms=${random.below(600)}`))}`,
      'click "Accept all"',
      'click "Button below the banner"',
      'wait for "Pressed banner, 2 in all"',
    ],
  },
  end: { status: 'success' },
  posts: ['slow/press', 'slow/press'],
  holds: [{ read: ({ slow }) => slow.pressed, is: ['covered', 'banner'] }],
});

/** Back, forward and again, and a page that takes its time. */
const history: Kind = ({ random, url }) => {
  const ms = 200 + random.below(2000);
  return {
    ask: {
      lines: [
        say`open ${at(url('slow', 'first'))}`,
        'click link "On to the second"',
        'click link "On to the third"',
        'back',
        'go back',
        'extract css "#which" as back',
        'forward',
        'extract css "#which" as forward',
        'wait 200 ms',
        say`open ${at(url('slow', `crawl?ms=${ms}`))}`,
        'extract css "#ms" as ms',
        'refresh',
        'click "Arrived"',
        'wait for "Pressed crawl" within 20 s',
      ],
    },
    end: { status: 'success' },
    posts: ['slow/press'],
    result: () => ({ back: 'The first page', forward: 'The second page', ms: String(ms) }),
    holds: [{ read: ({ slow }) => slow.pressed, is: ['crawl'] }],
  };
};

/** Waits for what never comes, or reaches for what is not there; what comes after is not done. */
const never: Kind = ({ random, url }) => {
  const isWait = random.is(0.5);
  return {
    ask: {
      lines: [
        say`open ${at(url('slow', 'late?ms=100'))}`,
        isWait ? 'wait for "A whale" within 2 s' : 'click "A whale"',
        'click "Late button"',
      ],
    },
    end: { status: 'failed', step: 2, reason: isWait ? 'late' : 'missing' },
    posts: [],
    holds: [{ read: ({ slow }) => slow.pressed, is: [] }],
  };
};

/** A script with a line that says nothing is refused as a whole. */
const refused: Kind = ({ random, url }) => ({
  ask: {
    lines: [
      say`open ${at(url('slow', 'late?ms=0'))}`,
      'click "Late button"',
      random.pick(['clik "Late button"', 'click Late button', say`type ${sentence(random)} "Name"`, 'wait for ever']),
    ],
  },
  end: { status: 'refused', line: 3 },
  posts: [],
  holds: [{ read: ({ slow }) => slow.seen, is: [] }],
});

export const slowKinds = {
  'slow: patience': patience,
  'slow: covered': covered,
  'slow: history': history,
  'slow: never': never,
  'script: refused': refused,
};
