import { homes, pageSize, type Ship, select, sortable } from '../sites/tables.ts';
import { at, type Kind, name, say } from './script.ts';

const row = ({ id, name: ship, port, length, year }: Ship) => ({
  'No.': String(id),
  Name: ship,
  Port: port,
  Length: String(length),
  Year: String(year),
});

/** Sorts, upwards or downwards, goes to a page and reads it. */
const sort: Kind = ({ random, url }) => {
  const [by, isDown, page] = [random.pick(sortable), random.is(0.5), 2 + random.below(118)];
  const order = isDown ? `${by}, downwards` : by;
  return {
    ask: {
      lines: [
        say`open ${at(url('tables'))}`,
        'wait for "Page 1 of 120"',
        say`click button ${by}`,
        say`wait for ${`ships by ${by}`}`,
        ...(isDown ? [say`click button ${by}`, 'wait for ", downwards"'] : []),
        say`type ${String(page)} into spinbutton "Page"`,
        'press Enter in spinbutton "Page"',
        say`wait for ${`Page ${page} of 120, 2400 ships by ${order}`}`,
        'extract table "Registered ships" as ships',
        'extract css "#state" as state',
      ],
    },
    end: { status: 'success' },
    posts: [],
    result: ({ tables: { ships } }) => ({
      ships: select(ships, { text: '', sorting: { by, isDown } })
        .slice((page - 1) * pageSize, page * pageSize)
        .map(row),
      state: `Page ${page} of 120, ${ships.length} ships by ${order}`,
    }),
  };
};

/** Filters, and turns the pages to the next. */
const filter: Kind = ({ data, random, url }) => {
  const text = random.pick(homes);
  const find = (ships: Ship[]) => select(ships, { text, sorting: { by: 'Number', isDown: false } });
  const pages = Math.ceil(find(data.tables.ships).length / pageSize);
  const [turns, back] = [1 + random.below(3), random.is(0.5) ? 1 : 0];
  const last = 1 + turns - back;
  return {
    ask: {
      lines: [
        say`open ${at(url('tables'))}`,
        'wait for "2400 ships"',
        say`type ${text} into "Filter"`,
        ...Array.from({ length: turns }, (_, index) => [
          say`wait for ${`Page ${index + 1} of ${pages}`}`,
          'click "Next page"',
        ]).flat(),
        say`wait for ${`Page ${turns + 1} of ${pages}`}`,
        ...(back ? ['click "Previous page"'] : []),
        say`wait for ${`Page ${last} of ${pages}`}`,
        'extract table css "table" as ships',
      ],
    },
    end: { status: 'success' },
    posts: [],
    result: ({ tables: { ships } }) => ({
      ships: find(ships)
        .slice((last - 1) * pageSize, last * pageSize)
        .map(row),
    }),
  };
};

/** Changes a cell in place. */
const edit: Kind = ({ random, url }) => {
  const [id, called] = [1 + random.below(pageSize), name(random)];
  return {
    ask: {
      lines: [
        say`open ${at(url('tables'))}`,
        say`double-click css ${`#name-${id}`}`,
        say`type ${called} into ${`Name of ship ${id}`}`,
        say`press Enter in ${`Name of ship ${id}`}`,
        say`wait for ${`Saved ship ${id}`}`,
        say`extract css ${`#name-${id}`} as name`,
      ],
    },
    end: { status: 'success' },
    posts: ['tables/name'],
    result: ({ tables: { ships } }) => ({ name: ships.find((one) => one.id === id)?.name ?? '' }),
    holds: [{ read: ({ tables }) => tables.ships.find((one) => one.id === id)?.name, is: called }],
  };
};

/** One row among thousands on a page. */
const long: Kind = ({ random, url }) => {
  const id = 1200 + random.below(1200);
  return {
    ask: {
      lines: [
        say`open ${at(url('tables', 'all'))}`,
        say`scroll to css ${`#ship-${id}`}`,
        say`extract css ${`#ship-${id} .name`} as name`,
        say`extract css ${`#ship-${id} .port`} as port`,
        say`click ${`Mark ship ${id}`}`,
        say`wait for ${`Marked ship ${id}`}`,
        'scroll up 100000',
      ],
    },
    end: { status: 'success' },
    posts: ['tables/mark'],
    result: ({ tables: { ships } }) => {
      const ship = ships.find((one) => one.id === id);
      return { name: ship?.name ?? '', port: ship?.port ?? '' };
    },
    holds: [{ read: ({ tables }) => tables.ships.flatMap((one) => (one.isMarked ? one.id : [])), is: [id] }],
  };
};

export const tablesKinds = {
  'tables: sort': sort,
  'tables: filter': filter,
  'tables: edit': edit,
  'tables: long': long,
};
