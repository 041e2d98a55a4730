// The script language: the instructions of each action. A new instruction needs an entry here, and one in the guide.
import type { Action } from '../tasks/step.ts';
import { distance, duration } from './measure.ts';
import {
  address,
  bare,
  choice,
  type Fields,
  field,
  keyword,
  optional,
  type Part,
  quoted,
  soleEntry,
  type Value,
} from './part.ts';
import { sight, target } from './target.ts';

export type Instruction = {
  action: Action;
  /** How it begins, the printed form first. */
  phrases: [string, ...string[]];
  parts: Part[];
  /** Fields that the beginning implies. */
  always: Fields;
  /** A minimal example. */
  shape: string;
};

function say(
  action: Action,
  phrases: Instruction['phrases'],
  parts: Part[] = [],
  always: Instruction['always'] = {},
): Instruction {
  const shape = [phrases[0], ...parts.map((part) => part.shape)].filter((word) => word !== '').join(' ');
  return { action, phrases, parts, always, shape };
}

const at = field('target', target);
const page = field('page', bare('p1'));
const within = optional(keyword('within'), field('timeout_secs', duration));
const kept = [keyword('as'), field('as', bare('prices'))];

/** The condition of a wait is nested one level deeper than other fields. */
const secs: Value = {
  ...duration,
  read: (reader) => ({ secs: duration.read(reader) }),
  write(value) {
    const [name, amount] = soleEntry(value);
    return name === 'secs' ? duration.write(amount) : undefined;
  },
};

const rest = choice(['idle']);
const idle: Value = {
  ...rest,
  read: (reader) => ({ [String(rest.read(reader))]: true }),
  write(value) {
    const [name, isIdle] = soleEntry(value);
    return isIdle === true ? rest.write(name) : undefined;
  },
};

/** If several instructions can express a step, the first is printed. */
export const instructions: Instruction[] = [
  say('navigate', ['open', 'go to', 'goto', 'visit', 'navigate to'], [field('url', address)]),
  say('back', ['back', 'go back']),
  say('forward', ['forward', 'go forward']),
  say('reload', ['reload', 'refresh']),
  say('click', ['click', 'click on', 'tap', 'tap on'], [at]),
  say('double_click', ['double click', 'double-click', 'doubleclick', 'double click on', 'double-click on'], [at]),
  say('hover', ['hover', 'hover over', 'point at'], [at]),
  say('type', ['type', 'enter', 'write'], [field('text', quoted), keyword('into', 'in'), at]),
  say('type', ['fill', 'fill in'], [at, keyword('with'), field('text', quoted)]),
  say('press', ['press'], [field('key', bare('Enter')), optional(keyword('in', 'on'), at)]),
  say('select', ['select', 'choose', 'pick'], [field('option', quoted), keyword('in', 'from'), at]),
  say('check', ['check', 'tick'], [at], { checked: true }),
  say('check', ['uncheck', 'untick'], [at], { checked: false }),
  say('upload', ['upload'], [field('file', bare('report.csv')), keyword('to', 'into'), at]),
  say(
    'scroll',
    ['scroll'],
    [
      optional(keyword('to'), at),
      optional(field('delta_x', distance('right', 'left'))),
      optional(field('delta_y', distance('down', 'up'))),
    ],
  ),
  say('drag', ['drag'], [field('from', target), keyword('to', 'onto'), field('to', target)]),
  say('wait', ['wait for', 'wait until'], [field('for', sight('text', 'selector')), within]),
  say('wait', ['wait until', 'wait for'], [field('for', sight('url')), within]),
  say('wait', ['wait for', 'wait until'], [field('for', idle), within]),
  say('wait', ['wait', 'wait for'], [field('for', secs), within]),
  say('extract', ['extract'], [field('kind', choice(['text', 'table', 'attributes'])), optional(at), ...kept]),
  say('extract', ['extract'], [optional(at), ...kept], { kind: 'text' }),
  say('screenshot', ['screenshot', 'take screenshot', 'take a screenshot']),
  say('new_page', ['new page', 'new tab', 'open new tab', 'open a new tab'], [optional(field('url', address))]),
  say('close_page', ['close page', 'close tab'], [optional(page)]),
  say('focus_page', ['focus page', 'focus tab', 'switch to page', 'switch to tab'], [page]),
  ...(['accept', 'dismiss'] as const).map((verb) =>
    say('answer_dialog', [`${verb} dialog`, `${verb} the dialog`], [optional(keyword('with'), field('text', quoted))], {
      accept: verb === 'accept',
    }),
  ),
  say('download', ['download'], [at]),
  say(
    'ask',
    ['ask'],
    [field('question', quoted), optional(keyword('until'), field('until', sight('text', 'selector', 'url')))],
  ),
];
