import { lines, name, sentence, some } from '../scripts/script.ts';
import { boats, languages, powers, services } from '../sites/forms.application.ts';
import { harbours } from '../sites/forms.pilots.ts';
import { type Application, cities, columns, ports, themes } from '../sites/forms.ts';
import { plan, reading, type TaskKind } from './task.ts';

const empty: Application = {
  name: '',
  email: '',
  phone: '',
  boat: '',
  length: '',
  arrival: '',
  nights: '1',
  power: 'None',
  services: [],
  languages: [],
  country: '',
  city: '',
  port: '',
  remarks: '',
  letter: '',
};
const received = { finish: reading({ number: /Your number is\s+!?\s*(\d+)/ }), when: 'Application received' };

/** Every kind of field that is filled or ticked, in one call for a part of the form. */
const fields: TaskKind = ({ random, url }) => {
  const filled: Application = {
    ...empty,
    name: name(random),
    email: `s${random.below(1000)}@example.org`,
    phone: `+47 ${random.below(90_000_000) + 10_000_000}`,
    boat: random.pick(boats),
    length: String(2 + random.below(50) + random.below(10) / 10),
    arrival: `203${random.below(10)}-0${1 + random.below(9)}-1${random.below(10)}`,
    nights: String(2 + random.below(29)),
    power: random.pick(powers),
    services: some(random, services),
    remarks: lines(random),
    letter: sentence(random, 8),
  };
  const { languages: _, country, city, port, ...told } = filled;
  return {
    prompt: `Apply for a berth at ${url('forms')} with these data, and tell me my number: ${JSON.stringify(told)}`,
    intents: plan(
      { open: url('forms') },
      {
        fill: {
          'Your name': filled.name,
          'you@example.org': filled.email,
          Phone: filled.phone,
          'Kind of boat': filled.boat,
          'Length in metres': filled.length,
          Arrival: filled.arrival,
          Nights: filled.nights,
        },
      },
      { fill: { [filled.power]: true, ...Object.fromEntries(filled.services.map((one) => [one, true])) } },
      { fill: { Remarks: filled.remarks, Letter: filled.letter } },
      { click: 'Send application', irreversible: true },
      received,
    ),
    end: { status: 'success' },
    result: () => ({ number: '1' }),
    posts: ['forms/applications'],
    holds: [{ read: ({ forms }) => forms.applications, is: [filled] }],
  };
};

/** Lists: of several, one that is filled after another, and one that the page draws itself. */
const choices: TaskKind = ({ random, url }) => {
  const country = random.pick(Object.keys(cities));
  const filled: Application = {
    ...empty,
    name: name(random),
    email: 'choices@example.org',
    languages: some(random, languages),
    country,
    city: random.pick(cities[country] ?? []),
    port: random.pick(ports),
  };
  return {
    prompt:
      `Apply for a berth at ${url('forms')} for ${filled.name} (${filled.email}), who speaks ${filled.languages.join(', ')}, ` +
      `lives in ${filled.city}, ${country}, and has the home port ${filled.port}. Leave the rest as it is. Which number is it?`,
    intents: plan(
      { open: url('forms') },
      { fill: { 'Your name': filled.name, 'you@example.org': filled.email, Country: country } },
      ...filled.languages.map((one) => ({ fill: { Languages: one } })),
      { fill: { City: filled.city } },
      { choose: filled.port, from: 'Home port' },
      { click: 'Send application' },
      received,
    ),
    end: { status: 'success' },
    result: () => ({ number: '1' }),
    posts: ['forms/applications'],
    holds: [{ read: ({ forms }) => forms.applications, is: [filled] }],
  };
};

/** The page refuses what is incomplete, and nothing is sent before it is corrected. */
const correct: TaskKind = ({ random, url }) => {
  const filled = { ...empty, name: name(random), email: 'late@example.org' };
  return {
    prompt: `Send an application for a berth at ${url('forms')}: only the name, ${filled.name}, is needed. Should the page want an e-mail address, use ${filled.email}. What did it say?`,
    intents: plan(
      { open: url('forms') },
      { fill: { 'Your name': filled.name } },
      { click: 'Send application' },
      { fill: { 'you@example.org': filled.email }, when: 'Please give an e-mail address.', thenPress: 'Enter' },
      { finish: { said: 'Please give an e-mail address.' }, when: 'Application received' },
    ),
    end: { status: 'success' },
    result: () => ({ said: 'Please give an e-mail address.' }),
    posts: ['forms/applications'],
    holds: [{ read: ({ forms }) => forms.applications, is: [filled] }],
  };
};

/** A list does not have what is asked for, and nothing is sent. */
const noSuchBoat: TaskKind = ({ random, url }) => ({
  prompt: `Apply for a berth at ${url('forms')} for ${name(random)} with a submarine. If there is no such kind of boat, do not apply.`,
  intents: plan(
    { open: url('forms') },
    { giveUp: 'The list has no submarine.', when: 'of Choose…|Dinghy|Sloop|Ketch|Motor yacht' },
  ),
  end: { status: 'failed', says: /no submarine/ },
  posts: [],
  holds: [{ read: ({ forms }) => forms.applications, is: [] }],
});

/** A field that suggests while it is typed into, and takes only what is chosen. */
const suggestions: TaskKind = ({ random, url }) => {
  const [harbour, ship] = [random.pick(harbours), name(random)];
  return {
    prompt: `At ${url('forms', 'pilots')} call a pilot to the harbour “${harbour}” for the ship ${ship}. Where does the pilot go?`,
    intents: plan(
      { open: url('forms', 'pilots') },
      { choose: harbour, from: 'Harbour' },
      { fill: { Ship: ship } },
      { click: 'Call the pilot', irreversible: true },
      { finish: reading({ harbour: /To (.*), for / }), when: 'The pilot comes' },
    ),
    end: { status: 'success' },
    result: ({ forms: { pilots } }) => ({ harbour: pilots[0]?.harbour ?? '' }),
    posts: ['forms/pilots'],
    holds: [{ read: ({ forms }) => forms.pilots, is: [{ harbour, ship }] }],
  };
};

/** A switch, and a menu that opens under the pointer. */
const settings: TaskKind = ({ random, url }) => {
  const theme = random.pick(themes);
  return {
    prompt: `At ${url('forms', 'settings')} switch the sounds on and choose the theme ${theme}. Which theme is shown then?`,
    intents: plan(
      { open: url('forms', 'settings') },
      { fill: { Sounds: true } },
      { use: 'hover', on: 'Theme', role: 'button', when: 'Saved sounds' },
      { click: theme, role: 'menuitem' },
      { call: { name: 'go', input: { to: 'reload' } }, when: 'Saved theme' },
      { finish: reading({ theme: /Now (\w+)\./ }) },
    ),
    end: { status: 'success' },
    result: ({ forms: { settings: kept } }) => ({ theme: kept.theme }),
    posts: ['forms/settings', 'forms/settings'],
    holds: [{ read: ({ forms }) => forms.settings, is: { title: 'My boat', sounds: true, theme } }],
  };
};

/** Drags a card to another column. */
const board: TaskKind = ({ data, random, url }) => {
  const card = random.pick(data.forms.cards);
  const column = random.pick(columns.slice(1));
  return {
    prompt: `On the board at ${url('forms', 'board')}, move the card “${card.name}” to the column “${column}”. What does the page say then?`,
    intents: plan(
      { open: url('forms', 'board') },
      { drag: card.name, to: column },
      { finish: reading({ said: /! (.* is in .*)/ }) },
    ),
    end: { status: 'success' },
    result: () => ({ said: `${card.name} is in ${column}` }),
    posts: ['forms/move'],
    holds: [
      {
        read: ({ forms }) => forms.cards,
        is: data.forms.cards.map((one) => (one === card ? { ...one, column } : { ...one })),
      },
    ],
  };
};

export const formsTasks = {
  'forms: fields': fields,
  'forms: choices': choices,
  'forms: correct': correct,
  'forms: no such boat': noSuchBoat,
  'forms: suggestions': suggestions,
  'forms: settings': settings,
  'forms: board': board,
};
