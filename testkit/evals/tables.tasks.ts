import type { SeenPage } from '../models/view-text.ts';
import { homes, pageSize, type Ship, select, sortable } from '../sites/tables.ts';
import { plan, type TaskKind } from './task.ts';

const rowOf = ({ id, name, port, length, year }: Ship) => ({
  'No.': String(id),
  Name: name,
  Port: port,
  Length: String(length),
  Year: String(year),
});

/** Sorts, upwards or downwards, goes to a page and reads it. */
const sort: TaskKind = ({ random, url }) => {
  const [by, isDown, page] = [random.pick(sortable), random.is(0.5), 2 + random.below(118)];
  const order = isDown ? `${by}, downwards` : by;
  return {
    prompt: `The register at ${url('tables')}, sorted by ${by} ${isDown ? 'downwards' : 'upwards'}: give me the rows of page ${page} as "ships".`,
    intents: plan(
      { open: url('tables') },
      { click: by, role: 'button', when: 'Page 1 of 120' },
      ...(isDown ? [{ click: by, role: 'button', when: `ships by ${by}` }] : []),
      { fill: { Page: String(page) }, thenPress: 'Enter', when: `ships by ${order}` },
      {
        call: { name: 'extract', input: { kind: 'table', as: 'ships' } },
        when: `Page ${page} of 120, 2400 ships by ${order}`,
      },
      { finish: undefined },
    ),
    end: { status: 'success' },
    result: ({ tables: { ships } }) => ({
      ships: select(ships, { text: '', sorting: { by, isDown } })
        .slice((page - 1) * pageSize, page * pageSize)
        .map(rowOf),
    }),
    posts: [],
  };
};

/** Filters, turns a page, and reads one row of it. */
const filter: TaskKind = ({ data, random, url }) => {
  const text = random.pick(homes);
  const found = select(data.tables.ships, { text, sorting: { by: 'Number', isDown: false } });
  const pages = Math.ceil(found.length / pageSize);
  const ship = found[pageSize];
  if (!ship) throw new Error('there is one page only');
  return {
    prompt: `Filter the register at ${url('tables')} by ${text}. Which ship is the first on the second page?`,
    intents: plan(
      { open: url('tables') },
      { fill: { Filter: text }, when: '2400 ships' },
      { click: 'Next page', when: `Page 1 of ${pages}` },
      {
        finish: ({ text: shown }: SeenPage) => ({ ship: /^\*?\d+ \| (.*?) \|/m.exec(shown)?.[1] }),
        when: `Page 2 of ${pages}`,
      },
    ),
    end: { status: 'success' },
    result: () => ({ ship: ship.name }),
    posts: [],
  };
};

/** One row among thousands on a page: beyond the first screen, and sometimes beyond what is shown at once. */
const long: TaskKind = ({ random, url }) => {
  const id = 30 + random.below(170);
  return {
    prompt: `On the page ${url('tables', 'all')} mark ship ${id}, and no other.`,
    intents: plan(
      { open: url('tables', 'all') },
      { click: `Mark ship ${id}`, role: 'button' },
      { finish: { marked: String(id) }, when: `Marked ship ${id}` },
    ),
    end: { status: 'success' },
    result: ({ tables: { ships } }) => ({ marked: String(ships.find(({ isMarked }) => isMarked)?.id) }),
    posts: ['tables/mark'],
    holds: [{ read: ({ tables }) => tables.ships.flatMap((one) => (one.isMarked ? one.id : [])), is: [id] }],
  };
};

export const tablesTasks = { 'tables: sort': sort, 'tables: filter': filter, 'tables: long': long };
