import { boats, languages, powers, services } from '../sites/forms.application.ts';
import { harbours } from '../sites/forms.pilots.ts';
import type { Application } from '../sites/forms.ts';
import { cities, columns, ports, themes } from '../sites/forms.ts';
import { at, draw, type Kind, lines, name, say, sentence, some } from './script.ts';

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
const received = ['wait for "Application received"', 'extract css "#number" as number', 'extract css "#name" as name'];

/** Every kind of field that is filled or ticked. */
const fields: Kind = ({ random, url }) => {
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
  const undone = random.pick(services);
  return {
    ask: {
      lines: [
        say`visit ${at(url('forms'))}`,
        say`type ${filled.name} into "Your name"`,
        say`type ${filled.email} into "you@example.org"`,
        say`enter ${filled.phone} into "Phone"`,
        say`choose ${filled.boat} from "Kind of boat"`,
        say`fill in "Length in metres" with ${filled.length}`,
        say`type ${filled.arrival} into "Arrival"`,
        say`type ${filled.nights} into label "Nights"`,
        say`check radio ${filled.power}`,
        say`check ${undone}`,
        say`uncheck ${undone}`,
        ...filled.services.map((one) => say`tick ${one}`),
        say`type ${filled.remarks} into "Remarks"`,
        say`type ${filled.letter} into "Letter"`,
        'extract label "Remarks" as remarks',
        'extract css "#shown" as nights',
        '!click "Send application"',
        ...received,
      ],
    },
    end: { status: 'success' },
    posts: ['forms/applications'],
    result: ({ forms: { applications } }) => ({
      number: String(applications.length),
      name: applications[0]?.name ?? '',
      remarks: applications[0]?.remarks ?? '',
      nights: applications[0]?.nights ?? '',
    }),
    holds: [{ read: ({ forms }) => forms.applications, is: [filled] }],
  };
};

/** Lists: plain ones, of several, one that is filled after another, and one that the page draws itself. */
const choices: Kind = ({ random, url }) => {
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
    ask: {
      lines: [
        say`open ${at(url('forms'))}`,
        say`type ${filled.name} into "Your name"`,
        say`type ${filled.email} into "you@example.org"`,
        ...filled.languages.map((one) => say`select ${one} in "Languages"`),
        say`select ${country} in "Country"`,
        say`select ${filled.city} in "City"`,
        say`select ${filled.port} in "Home port"`,
        'screenshot',
        'click "Send application"',
        ...received,
      ],
    },
    end: { status: 'success' },
    posts: ['forms/applications'],
    result: ({ forms: { applications } }) => ({ number: '1', name: applications[0]?.name ?? '' }),
    holds: [{ read: ({ forms }) => forms.applications, is: [filled] }],
  };
};

/** The page refuses what is incomplete, and nothing is sent before it is corrected. */
const correct: Kind = ({ random, url }) => {
  const filled = { ...empty, name: name(random), email: 'late@example.org' };
  return {
    ask: {
      lines: [
        say`open ${at(url('forms'))}`,
        'click "Send application"',
        'wait for "Please give your name."',
        say`type ${filled.name} into "Your name"`,
        'click "Send application"',
        'extract css "#wrong" as wrong',
        'type "nobody" into "you@example.org"',
        say`type ${filled.email} into "you@example.org"`,
        'press Enter in "you@example.org"',
        ...received,
      ],
    },
    end: { status: 'success' },
    posts: ['forms/applications'],
    result: ({ forms: { applications } }) => ({
      number: '1',
      name: applications[0]?.name ?? '',
      wrong: 'Please give an e-mail address.',
    }),
    holds: [{ read: ({ forms }) => forms.applications, is: [filled] }],
  };
};

/** A list does not have what is asked for, and nothing is sent. */
const impossible: Kind = ({ random, url }) => ({
  ask: {
    lines: [
      say`open ${at(url('forms'))}`,
      say`type ${name(random)} into "Your name"`,
      say`select ${random.pick(['Submarine', 'Raft', 'dinghy 2'])} in "Kind of boat"`,
      'click "Send application"',
    ],
  },
  end: { status: 'failed', step: 3, reason: 'no_option' },
  posts: [],
  holds: [{ read: ({ forms }) => forms.applications, is: [] }],
});

/** A field that suggests while it is typed into. */
const suggestions: Kind = ({ random, url }) => {
  const [harbour, ship] = [random.pick(harbours), name(random)];
  return {
    ask: {
      lines: [
        say`open ${at(url('forms', 'pilots'))}`,
        say`select ${harbour} in "Harbour"`,
        say`type ${ship} into "Ship"`,
        '!click "Call the pilot"',
        'extract css "#harbour" as harbour',
      ],
    },
    end: { status: 'success' },
    posts: ['forms/pilots'],
    result: ({ forms: { pilots } }) => ({ harbour: pilots[0]?.harbour ?? '' }),
    holds: [{ read: ({ forms }) => forms.pilots, is: [{ harbour, ship }] }],
  };
};

/** Drags cards. */
const board: Kind = ({ data, random, url }) => {
  const cards = draw(random, data.forms.cards, 2);
  const to = cards.map(() => random.pick(columns.slice(1)));
  const moved = data.forms.cards.map((card) => ({ ...card, column: to[cards.indexOf(card)] ?? card.column }));
  return {
    ask: {
      lines: [
        say`open ${at(url('forms', 'board'))}`,
        ...cards.flatMap((card, index) => [
          say`drag text ${card.name} to region ${to[index] ?? ''}`,
          say`wait for ${`${card.name} is in ${to[index]}`}`,
        ]),
        'extract css "#state" as state',
      ],
    },
    end: { status: 'success' },
    posts: ['forms/move', 'forms/move'],
    result: ({ forms }) => {
      const last = forms.cards.find(({ name: card }) => card === cards[1]?.name);
      return { state: `${last?.name} is in ${last?.column}` };
    },
    holds: [{ read: ({ forms }) => forms.cards, is: moved }],
  };
};

/** Things that are changed in place: double clicks, a switch, a menu that opens under the pointer. */
const settings: Kind = ({ random, url }) => {
  const [title, theme] = [name(random), random.pick(themes)];
  return {
    ask: {
      lines: [
        say`open ${at(url('forms', 'settings'))}`,
        'double click "My boat"',
        say`type ${title} into "Name of the boat"`,
        'press Enter',
        'wait for "Saved title"',
        'check switch "Sounds"',
        'wait for "Saved sounds"',
        'hover button "Theme"',
        say`click menuitem ${theme}`,
        'wait for "Saved theme"',
        'reload',
        'extract css "#title" as title',
        'extract css "#theme" as theme',
        'extract attributes switch "Sounds" as sounds',
      ],
    },
    end: { status: 'success' },
    posts: ['forms/settings', 'forms/settings', 'forms/settings'],
    result: ({ forms: { settings: kept } }) => ({
      title: kept.title,
      theme: kept.theme,
      sounds: { role: 'switch', 'aria-checked': String(kept.sounds), id: 'sounds', text: 'Sounds' },
    }),
    holds: [{ read: ({ forms }) => forms.settings, is: { title, sounds: true, theme } }],
  };
};

export const formsKinds = {
  'forms: fields': fields,
  'forms: choices': choices,
  'forms: correct': correct,
  'forms: impossible': impossible,
  'forms: suggestions': suggestions,
  'forms: board': board,
  'forms: settings': settings,
};
