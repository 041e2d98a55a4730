import { draw } from '../scripts/script.ts';
import { plan, reading, type TaskKind } from './task.ts';

const patient = [
  ['late', 'Late button'],
  ['disabled', 'Patient button'],
  ['moving', 'Moving button'],
] as const;

/** What comes late, is disabled for a while or moves is waited for, and pressed once. */
const patience: TaskKind = ({ random, url }) => {
  const order = draw(random, patient, 3).map(([what, button]) => ({
    what,
    button,
    address: url('slow', `${what}?ms=${300 + random.below(1500)}`),
  }));
  return {
    prompt: `Press one button on each of these pages, once, in this order: ${order.map(({ address, button }) => `${button} on ${address}`).join(', ')}. What does the last page say?`,
    intents: plan(
      ...order.flatMap(({ address, button, what }, index) => [
        { open: address },
        { click: button },
        {
          call: { name: 'remember', input: { text: `${what} is pressed` } },
          when: `Pressed ${what}, ${index + 1} in all`,
        },
      ]),
      { finish: reading({ said: /(Pressed \w+, 3 in all)/ }) },
    ),
    end: { status: 'success' },
    result: ({ slow: { pressed } }) => ({ said: `Pressed ${pressed.at(-1)}, ${pressed.length} in all` }),
    posts: ['slow/press', 'slow/press', 'slow/press'],
    holds: [{ read: ({ slow }) => slow.pressed, is: order.map(({ what }) => what) }],
  };
};

/** Something sticks in front of the button, or a dialog lies over all of it. */
const covered: TaskKind = ({ random, url }) => ({
  prompt: `Press the button far below on ${url('slow', 'covered')}, and then the one below the banner on ${url('slow', 'banner?ms=300')}. How many were pressed?`,
  intents: plan(
    { open: url('slow', 'covered') },
    { click: 'Button far below' },
    { open: url('slow', `banner?ms=${random.below(600)}`), when: 'Pressed covered' },
    { click: 'Accept all', when: 'We use cookies' },
    { click: 'Button below the banner' },
    { finish: reading({ pressed: /Pressed banner, (\d+) in all/ }) },
  ),
  end: { status: 'success' },
  result: ({ slow }) => ({ pressed: String(slow.pressed.length) }),
  posts: ['slow/press', 'slow/press'],
  holds: [{ read: ({ slow }) => slow.pressed, is: ['covered', 'banner'] }],
});

/** Back, forward, and a page that takes its time. */
const history: TaskKind = ({ random, url }) => {
  const ms = 200 + random.below(2000);
  return {
    prompt: `Open ${url('slow', 'first')}, follow the links to the third page, and go back twice and forward once. Then open ${url('slow', `crawl?ms=${ms}`)} and press “Arrived”. How many milliseconds does the page name?`,
    intents: plan(
      { open: url('slow', 'first') },
      { click: 'On to the second', role: 'link' },
      { click: 'On to the third', role: 'link' },
      { call: { name: 'go', input: { to: 'back' } }, when: 'The third page' },
      { call: { name: 'go', input: { to: 'back' } }, when: 'The second page' },
      { call: { name: 'go', input: { to: 'forward' } }, when: 'The first page' },
      { open: url('slow', `crawl?ms=${ms}`), when: 'The second page' },
      { click: 'Arrived' },
      { finish: reading({ ms: /This took (\d+) ms/ }), when: 'Pressed crawl' },
    ),
    end: { status: 'success' },
    result: () => ({ ms: String(ms) }),
    posts: ['slow/press'],
    holds: [{ read: ({ slow }) => slow.pressed, is: ['crawl'] }],
  };
};

/** What is not there is looked for, and nothing else is pressed. */
const never: TaskKind = ({ url }) => ({
  prompt: `Press the button “A whale” on ${url('slow', 'late?ms=100')}.`,
  intents: plan({ open: url('slow', 'late?ms=100') }, { giveUp: 'There is no whale.', when: 'Late button' }),
  end: { status: 'failed', says: /no whale/ },
  posts: [],
  holds: [{ read: ({ slow }) => slow.pressed, is: [] }],
});

export const slowTasks = {
  'slow: patience': patience,
  'slow: covered': covered,
  'slow: history': history,
  'slow: never': never,
};
