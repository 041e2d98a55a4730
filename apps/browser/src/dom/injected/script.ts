// The parts of this folder put together, as the texts that are sent to the page.

import { type ActReader, createActReader } from './act-facts.ts';
import { createActSight } from './act-sight.ts';
import { createAreas } from './area.ts';
import { createCopies } from './copied.ts';
import { createContrast } from './element/contrast.ts';
import { createDrawn } from './element/drawn.ts';
import { createMarks, type Marks } from './element/marks.ts';
import { createNames, type Names } from './element/names.ts';
import { createPaint, type Paint } from './element/paint.ts';
import { createRoles, type Roles } from './element/roles.ts';
import { createDom, type Dom } from './element/safe-dom.ts';
import { createSecrets, type Secrets } from './element/secrets.ts';
import { createStanding } from './element/standing.ts';
import { createSight, type Sight } from './element/visibility.ts';
import { createExtractor, type Extractor } from './extract.ts';
import { createFields } from './field-events.ts';
import { createFinder, type Finder, type Query } from './find.ts';
import { createGestures } from './gestures.ts';
import { createHeldAct, type HeldAct } from './held-act.ts';
import { createTouch, type Touch } from './hit-target.ts';
import { createMask } from './mask.ts';
import { createOutline, type Outline } from './outline.ts';
import { createShownSecrets, type Fingerprints } from './shown-secrets.ts';
import { createSuggester, type Suggester } from './suggestions.ts';
import { createReader, type Reader } from './text.ts';
import { createPageViewer, type PageViewer } from './view.ts';
import { createViewBlocks, type ViewBlocks } from './view-blocks.ts';
import { createViewItems, type ViewItems } from './view-items.ts';
import { createViewLines } from './view-lines.ts';

type Parts = {
  dom: Dom;
  marks: Marks;
  finder: Finder;
  roles: Roles;
  names: Names;
  secrets: Secrets;
  paint: Paint;
  sight: Sight;
  touch: Touch;
  outline: Outline;
  reader: Reader;
  extractor: Extractor;
  items: ViewItems;
  acts: ActReader;
  heldAct: HeldAct;
  blocks: ViewBlocks;
  viewer: PageViewer;
  suggester: Suggester;
};

/** `opacity` is that of the first. */
export type Hits = { level: number; marks: number[]; roles: string[]; count: number; opacity: number };
export type Tools = ReturnType<typeof createTools>;

/** What we ask of a document. Whatever it takes and gives can be written as JSON, except elements. */
function createTools(parts: Parts) {
  const {
    dom,
    marks,
    finder,
    roles,
    names,
    secrets,
    paint,
    sight,
    touch,
    outline,
    reader,
    extractor,
    items,
    acts,
    heldAct,
    blocks,
    viewer,
    suggester,
  } = parts;
  const maxTold = 5;
  const secretWords =
    /pass(word|wort|code|phrase)|kennwort|contrase|mot de passe|\bpin\b|\bcv[cv]\b|card num|security code/i;
  /** Every name that the page gives a frame. */
  function frameNames(owner: Element): string[] {
    const attributes = ['title', 'name'].map((one) => names.tidy(dom.attribute(owner, one) ?? ''));
    return [names.name(owner), ...attributes].filter(Boolean);
  }

  return {
    /** Null: nothing fits. */
    find(query: Query): Hits | null {
      paint.forget();
      const matches = finder.find(query);
      const [first] = matches?.elements ?? [];
      if (!matches || !first) return null;
      const { level, elements } = matches;
      const told = elements.slice(0, maxTold);
      const opacity = paint.opacity(first);
      return { level, count: elements.length, marks: told.map(marks.mark), roles: told.map(roles.role), opacity };
    },
    sees(sighting: Parameters<Finder['sees']>[0]): boolean {
      paint.forget();
      return finder.sees(sighting);
    },
    showsPart(words: string): boolean {
      paint.forget();
      return finder.showsPart(words);
    },
    element: marks.element,
    mark: marks.mark,
    beginSuggestions(): void {
      paint.forget();
      suggester.begin();
    },
    suggestions(field: Element): ReturnType<Suggester['list']> {
      paint.forget();
      return suggester.list(field);
    },
    /** How much of the frame in it can be seen through; 0 where it cannot be seen at all. */
    frameOpacity(owner: Element): number {
      paint.forget();
      return sight.isVisible(owner) ? paint.opacity(owner) : 0;
    },
    frameNames,
    /** How many frames this document shows under a name, whether they answer or not, and whether more may be parsed. */
    framesCalled(wanted: string): { count: number; isWhole: boolean } {
      paint.forget();
      const isCalled = (owner: Element) => frameNames(owner).some((name) => name.toLowerCase() === wanted);
      const owners = dom.select('iframe, frame, object, embed, fencedframe').filter((owner) => isCalled(owner));
      return { count: owners.filter(sight.isVisible).length, isWhole: document.readyState !== 'loading' };
    },
    /** Whether it, or what it is the label of, is a field for a password or a payment card, or is called so. */
    isForSecret(element: Element, called: string): boolean {
      const field = element instanceof HTMLLabelElement ? (element.control ?? element) : element;
      const said = [called, names.name(field), names.placeholder(field)].join(' ');
      return secrets.isSecretField(field) || secretWords.test(said);
    },
    measure: touch.measure,
    reachable: touch.reachable,
    poise: touch.poise,
    scroll: touch.scroll,
    viewport: () => ({ width: innerWidth, height: innerHeight }),
    outline: outline.list,
    /** As JSON: the browser writes a large answer object by object otherwise, which takes longer than the look itself. */
    view: (...frames: Element[]): string => JSON.stringify(viewer.list(...frames)),
    /** Null: the element keeps no shadow root closed. */
    setRoot: blocks.setRoot,
    identity: items.identity,
    actLook: acts.look,
    pointLook: acts.lookAtPoint,
    isFrameAt: acts.isFrameAt,
    focusLook: acts.lookAtFocus,
    linkNames: acts.linkNames,
    holdAct: heldAct.hold,
    heldState: heldAct.state,
    letGo: heldAct.letGo,
    read: reader.read,
    readPage: reader.page,
    attributes: extractor.attributes,
    records: extractor.records,
    tables(within?: Element): number[] {
      paint.forget();
      return extractor.tables(within).map(marks.mark);
    },
    table: extractor.table,
  };
}

const basics = `
  const dom = (${createDom})();
  const paint = (${createPaint})(dom);
  const contrast = (${createContrast})(dom, paint);
  const sight = (${createSight})(dom, paint, contrast);
  const roles = (${createRoles})(dom);
  const names = (${createNames})(dom, roles, sight);
  const secrets = (${createSecrets})(dom, names);`;

/** Its value is the tools. */
export const script = `(() => {
  ${basics}
  const marks = (${createMarks})(dom);
  const reader = (${createReader})(dom, names, sight, secrets);
  const standing = (${createStanding})({ dom, roles, names, sight, paint });
  const areas = (${createAreas})(dom, roles);
  const finder = (${createFinder})({ dom, roles, names, sight, standing, areas });
  const touch = (${createTouch})(dom, roles, names, sight);
  const outline = (${createOutline})({ dom, roles, names, sight, marks, reader });
  const extractor = (${createExtractor})({ dom, roles, names, sight, reader, secrets });
  const items = (${createViewItems})({ dom, roles, names, secrets, marks, reader, outline });
  const acts = (${createActReader})({ dom, names, secrets, reader, items });
  const heldAct = (${createHeldAct})(acts);
  const blocks = (${createViewBlocks})({ dom, roles, names, sight, paint, reader });
  const sheets = (${createViewLines})();
  const viewer = (${createPageViewer})({ dom, roles, names, secrets, sight, paint, reader, outline, items, blocks, sheets, marks });
  const suggester = (${createSuggester})({ dom, roles, names, sight, marks });
  return (${createTools})({ dom, marks, finder, roles, names, secrets, paint, sight, touch, outline, reader, extractor, items, acts, heldAct, blocks, viewer, suggester });
})()`;

/** What the page's side calls to tell the host something; only our world has it. */
export const bindingName = 'tellPilothouse';

/** Runs once in a document, however often it is sent. */
export const maskScript = `(() => {
  if (Object.hasOwn(globalThis, 'fieldsOfPilothouse')) return;
  ${basics}
  const mask = (${createMask})(dom, secrets);
  const tell = (news) => globalThis.${bindingName}?.(news);
  const drawn = (${createDrawn})(sight, paint);
  const fields = (${createFields})({ dom, names, secrets, mask, drawn }, tell);
  Object.defineProperty(globalThis, 'fieldsOfPilothouse', { value: fields });
  const shown = (${createShownSecrets})(dom, secrets, mask);
  Object.defineProperty(globalThis, 'shownSecretsOfPilothouse', { value: shown });
  const gestures = (${createGestures})(tell);
  Object.defineProperty(globalThis, 'gesturesOfPilothouse', { value: gestures });
  const sights = (${createActSight})({ dom, roles, names, secrets });
  Object.defineProperty(globalThis, 'sightsOfPilothouse', { value: sights });
  gestures.start();
  (${createCopies})(tell).start();
  mask.start();
  fields.start();
})()`;

/** What is at this point of the page, and what has the focus; null where this document cannot say. */
export const pointScript = (x: number, y: number) => `globalThis.sightsOfPilothouse?.at(${x}, ${y}) ?? null`;
export const focusScript = 'globalThis.sightsOfPilothouse?.focused() ?? null';

/** Covers the field that the script gave this number. */
export const coverScript = (number: number) => `globalThis.fieldsOfPilothouse?.cover(${number})`;

/** Covers what shows these values, from now on. */
export const hideScript = (prints: Fingerprints) =>
  `globalThis.shownSecretsOfPilothouse?.set(${JSON.stringify(prints)})`;

/** Says that `this` is an element that a step of ours is about to use. */
export const reachScript = 'globalThis.fieldsOfPilothouse?.reach(this)';
