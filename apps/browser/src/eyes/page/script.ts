// The parts of this folder put together, as the texts that are sent to the page.

import { createDom } from './dom.ts';
import { createExtractor, type Extractor } from './extract.ts';
import { createFields } from './fields.ts';
import { createFinder, type Finder, type Query } from './find.ts';
import { createMarks, type Marks } from './marks.ts';
import { createMask } from './mask.ts';
import { createNames } from './names.ts';
import { createOutline, type Outline } from './outline.ts';
import { createReader, type Reader } from './read.ts';
import { createRoles, type Roles } from './roles.ts';
import { createSecrets } from './secrets.ts';
import { createSight, type Sight } from './sight.ts';
import { createTouch, type Touch } from './touch.ts';

type Parts = {
  marks: Marks;
  finder: Finder;
  roles: Roles;
  sight: Sight;
  touch: Touch;
  outline: Outline;
  reader: Reader;
  extractor: Extractor;
};

export type Hits = { level: number; marks: number[]; roles: string[]; count: number };
export type Tools = ReturnType<typeof createTools>;

/** What we ask of a document. Whatever it takes and gives can be written as JSON, except elements. */
function createTools({ marks, finder, roles, sight, touch, outline, reader, extractor }: Parts) {
  const TOLD = 5;
  return {
    /** Null: nothing fits. */
    find(query: Query): Hits | null {
      const matches = finder.find(query);
      if (!matches) return null;
      const told = matches.elements.slice(0, TOLD);
      const { level, elements } = matches;
      return { level, count: elements.length, marks: told.map(marks.mark), roles: told.map(roles.role) };
    },
    sees: finder.sees,
    element: marks.element,
    isVisible: sight.isVisible,
    measure: touch.measure,
    reachable: touch.reachable,
    poise: touch.poise,
    scroll: touch.scroll,
    viewport: () => ({ width: innerWidth, height: innerHeight }),
    outline: outline.list,
    read: reader.read,
    readPage: reader.page,
    attributes: extractor.attributes,
    records: extractor.records,
    tables: (within?: Element): number[] => extractor.tables(within).map(marks.mark),
    table: extractor.table,
  };
}

const basics = `
  const dom = (${createDom})();
  const sight = (${createSight})(dom);
  const roles = (${createRoles})(dom);
  const names = (${createNames})(dom, roles, sight);
  const secrets = (${createSecrets})(dom, names);`;

/** Its value is the tools. */
export const script = `(() => {
  ${basics}
  const marks = (${createMarks})(dom);
  const reader = (${createReader})(dom, names, sight, secrets);
  const finder = (${createFinder})(dom, roles, names, sight);
  const touch = (${createTouch})(dom, roles, names, sight);
  const outline = (${createOutline})({ dom, roles, names, sight, marks, reader });
  const extractor = (${createExtractor})({ dom, roles, names, sight, reader, secrets });
  return (${createTools})({ marks, finder, roles, sight, touch, outline, reader, extractor });
})()`;

/** What the page's side calls to tell the host something; only our world has it. */
export const BINDING = 'tellPilothouse';

/** Runs once in a document, however often it is sent. */
export const maskScript = `(() => {
  if (Object.hasOwn(globalThis, 'fieldsOfPilothouse')) return;
  ${basics}
  const mask = (${createMask})(dom, secrets);
  const tell = (news) => globalThis.${BINDING}?.(news);
  const fields = (${createFields})({ dom, names, secrets, mask }, tell);
  Object.defineProperty(globalThis, 'fieldsOfPilothouse', { value: fields });
  mask.start();
  fields.start();
})()`;

/** Covers the field that the script gave this number. */
export const coverScript = (number: number) => `globalThis.fieldsOfPilothouse?.cover(${number})`;
