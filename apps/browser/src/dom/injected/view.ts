// What a document shows, in the order it is read: lines of words and handles, with where each stands. One long function,
// because its text is sent. Never tells words that a person cannot see.

import type { Marks } from './element/marks.ts';
import type { Names } from './element/names.ts';
import type { Paint } from './element/paint.ts';
import type { Roles } from './element/roles.ts';
import type { Dom } from './element/safe-dom.ts';
import type { Secrets } from './element/secrets.ts';
import type { Rect, Sight } from './element/visibility.ts';
import type { Outline } from './outline.ts';
import type { Reader } from './text.ts';
import type { ViewBlocks } from './view-blocks.ts';
import type { ViewItems } from './view-items.ts';
import type { Sheet, ViewLine, ViewLines } from './view-lines.ts';

export type PageViewer = ReturnType<typeof createPageViewer>;

/** Something around lines: a dialog, a box that scrolls. `parent` is its place in the list, -1 for none. */
export type ViewBlock = { parent: number; open: string; close: string };

/** `closed`: numbers of elements that may keep a shadow root closed. */
export type DocumentView = {
  lines: ViewLine[];
  blocks: ViewBlock[];
  closed: number[];
  /** Rows of a very long document that are too far away to be read, as counts. */
  far: { below: number; above: number };
};

type Parts = {
  dom: Dom;
  roles: Roles;
  names: Names;
  secrets: Secrets;
  sight: Sight;
  paint: Paint;
  reader: Reader;
  outline: Outline;
  items: ViewItems;
  blocks: ViewBlocks;
  sheets: ViewLines;
  marks: Marks;
};

export function createPageViewer(parts: Parts) {
  const { dom, roles, names, secrets, sight, paint, reader, outline, items, blocks, marks } = parts;
  const { add, flush, distance } = parts.sheets;
  const maxLines = 6000;
  /** A document with more elements than this is read around the window: rows farther away than these screens are counted. */
  const longDocument = 5000;
  const farScreens = 20;
  const rowTags = new Set(['tr', 'li', 'article']);
  /** A control with more words than this has them told beside it, in their lines. */
  const maxWords = 120;
  const cellRoles = new Set(['cell', 'gridcell', 'columnheader', 'rowheader']);
  const hiddenBoxes = new Set(['checkbox', 'radio', 'file']);
  const range = document.createRange();
  const rectOfRange = Range.prototype.getBoundingClientRect;

  const nowhere = { clip: undefined, box: undefined };

  /** What holds for everything below an element. */
  type Way = {
    lead: string;
    block: number;
    /** What clips it for good, and the box that scrolls around it. */
    clip: Rect | undefined;
    box: Rect | undefined;
    /** The same as they are for what is placed against the nearest positioned element. */
    placed: { clip: Rect | undefined; box: Rect | undefined };
    /** Words are told already, by the control around them or beside. */
    isTold: boolean;
    isInHandle: boolean;
    /** Of no meaning to those who act: hidden from them, or taken out of use. */
    isSetAside: boolean;
    isInRow: boolean;
    isLayout: boolean;
    /** The colour that is painted behind it. */
    ground: string;
  };

  type Look = Sheet & {
    blocks: ViewBlock[];
    /** Words of hints, told beside their fields. */
    hints: Set<Element>;
    frames: Element[];
    top: Element | undefined;
    holders: Map<Element, boolean>;
    isPointerEverywhere: boolean;
    /** Where things can be dragged to. */
    places: Set<Element>;
    isLong: boolean;
    far: DocumentView['far'];
  };

  function list(...frames: Element[]): DocumentView {
    paint.forget();
    const root = dom.root();
    const elements = dom.all();
    const top = blocks.topDialog(elements);
    const look: Look = {
      lines: [],
      blocks: [],
      line: undefined,
      edge: '',
      hints: blocks.hints(elements),
      frames,
      top: top?.element,
      holders: new Map(),
      isPointerEverywhere: blocks.isPointedAllOver(),
      places: blocks.places(),
      isLong: elements.length > longDocument,
      far: { below: 0, above: 0 },
    };
    // A frame shows what is behind it, and a dark window is not white.
    const isWhite = root !== null && window === window.top && !/dark/.test(paint.styleOf(root).colorScheme);
    const way: Way = {
      ...{ lead: '', block: -1, ...nowhere, placed: nowhere, ground: isWhite ? 'rgb(255, 255, 255)' : '' },
      ...{ isTold: false, isInHandle: false, isSetAside: false, isInRow: false, isLayout: false },
    };
    if (top) {
      within(look, `<dialog${quoted(blocks.titleOf(top.element))} on top>`, '</dialog>', way, (inner) =>
        visit(top.element, look, inner, 0, true),
      );
    }
    if (root && top?.isModal) within(look, '<behind the dialog>', '', way, (inner) => visit(root, look, inner, 0));
    else if (root) visit(root, look, way, 0);
    flush(look);
    const closed = blocks.mayBeClosed(elements).map(marks.mark);
    return { lines: look.lines, blocks: look.blocks, closed, far: look.far };
  }

  const quoted = (name: string) => (name ? ` ${JSON.stringify(items.short(name, 80))}` : '');

  function within(look: Look, open: string, close: string, way: Way, work: (way: Way) => void): void {
    flush(look);
    look.blocks.push({ parent: way.block, open, close });
    work({ ...way, block: look.blocks.length - 1, lead: '' });
    flush(look);
  }

  const isCutOff = (at: Rect, { clip }: Way): boolean => {
    if (!clip) return false;
    const { width, height } = paint.overlap(at, clip);
    return width < 1 || height < 1;
  };

  /** What its styles make of it for all below. */
  function entered(element: Element, way: Way, style: CSSStyleDeclaration): Way {
    const { position, overflowX, overflowY, backgroundColor, backgroundImage } = style;
    const isSetAside = dom.attribute(element, 'aria-hidden') === 'true' || dom.attribute(element, 'inert') !== null;
    const isPlace = position !== 'static' || style.transform !== 'none';
    const isEdged = overflowX !== 'visible' || overflowY !== 'visible';
    const hasPicture = backgroundImage !== 'none';
    const isPainted = hasPicture || !isClear(backgroundColor);
    if (!isSetAside && !isPlace && !isEdged && !isPainted) return way;
    let { clip, box } = position === 'fixed' ? nowhere : position === 'absolute' ? way.placed : way;
    if (isEdged && element !== dom.root() && !dom.isBody(element) && style.display !== 'inline') {
      const at = dom.rect(element);
      if (blocks.scrollsOf(element, style)) box = box ? paint.overlap(box, at) : at;
      else if (overflowX !== 'visible' && overflowY !== 'visible') clip = clip ? paint.overlap(clip, at) : at;
    }
    const ground = hasPicture ? '' : isPainted ? backgroundColor : way.ground;
    const placed = isPlace ? { clip, box } : way.placed;
    return { ...way, clip, box, placed, ground, isSetAside: way.isSetAside || isSetAside };
  }

  const isClear = (colour: string): boolean => colour === 'transparent' || /^rgba\(.*, 0\)$/.test(colour);

  /** A row that is many screens away: a page of thousands of them could not be read in time otherwise. */
  function isFar(element: Element, tag: string, { far }: Look): boolean {
    if (!rowTags.has(tag) && dom.attribute(element, 'role') !== 'row') return false;
    const { y, width, height } = dom.rect(element);
    if (width < 1 || height < 1) return false;
    const reach = farScreens * innerHeight;
    if (y > innerHeight + reach) far.below += 1;
    else if (y + height < -reach) far.above += 1;
    else return false;
    return true;
  }

  /** Styles are asked first: most elements clip nothing, and so fold nothing away. */
  function isShut(element: Element, { overflowX, overflowY }: CSSStyleDeclaration): boolean {
    if (sight.mayShow(element)) return (overflowX !== 'visible' || overflowY !== 'visible') && sight.isFolded(element);
    return !hiddenBoxes.has(roles.typeOf(element)) || !sight.isShown(element);
  }

  function visit(element: Element, look: Look, outer: Way, depth: number, isTop = false): void {
    if (look.lines.length >= maxLines || depth > dom.maxDepth) return;
    const tag = dom.tag(element);
    const frame = look.frames.indexOf(element);
    if (frame >= 0) return void framed(element, frame, look, outer);
    if (look.isLong && isFar(element, tag, look)) return;
    if (tag === 'canvas' || tag === 'video') return void drawing(element, tag, look, outer);
    if (tag === 'br') look.edge ||= 'block';
    if (names.isMute(tag) || look.hints.has(element) || (element === look.top && !isTop)) return;
    const style = paint.styleOf(element);
    if (isShut(element, style)) return;
    const way = entered(element, outer, style);
    const below = (inner: Way) => children(element, look, inner, depth, style);
    const role = roles.role(element);
    const scroll = blocks.scrollsOf(element, style);
    const open = isTop ? '' : blocks.isDialog(element, role) ? `<dialog${quoted(blocks.titleOf(element))}>` : scroll;
    if (open) return void within(look, open, open === scroll ? '</scrolls>' : '</dialog>', way, below);
    const edge = edgeOf(style.display, role, way);
    if (edge === 'row' || edge === 'heading' || edge === 'alert') {
      flush(look);
      const lead = edge === 'heading' ? `${'#'.repeat(blocks.levelOf(element))} ` : edge === 'alert' ? '! ' : way.lead;
      below({ ...way, lead, isInRow: way.isInRow || edge === 'row' });
      flush(look);
      return;
    }
    if (edge) look.edge = edge === 'cell' || look.edge === 'cell' ? 'cell' : 'block';
    if (!told(element, role, look, way, below)) below(way);
    if (edge) look.edge ||= 'block';
  }

  function edgeOf(display: string, role: string, way: Way): '' | 'block' | 'cell' | 'row' | 'heading' | 'alert' {
    if (way.isTold) return '';
    if (!way.isInRow) {
      if (!way.isLayout && (display === 'table-row' || role === 'row')) return 'row';
      if (role === 'heading') return 'heading';
      if (role === 'alert' || role === 'status') return 'alert';
    } else if (display === 'table-cell' || cellRoles.has(role)) return 'cell';
    return display.startsWith('inline') || display === 'contents' ? '' : 'block';
  }

  function children(element: Element, look: Look, way: Way, depth: number, style: CSSStyleDeclaration): void {
    const isLayout = way.isLayout || blocks.isLayoutTable(element);
    const inner = isLayout === way.isLayout ? way : { ...way, isLayout };
    const isFolded = element instanceof HTMLDetailsElement && !element.open;
    dom.eachChild(element, (child) => {
      if (isFolded && !(dom.isElement(child) && dom.tag(child) === 'summary')) return;
      if (dom.isElement(child)) visit(child, look, inner, depth + 1);
      else if (dom.isText(child) && !way.isTold) words(element, child, look, inner, style);
    });
  }

  function words(element: Element, node: Node, look: Look, way: Way, style: CSSStyleDeclaration): void {
    const text = dom.textOf(node);
    if (text === '' || style.visibility !== 'visible') return;
    const isKept = style.whiteSpaceCollapse === 'preserve';
    const said = isKept ? text : text.replace(/\s+/g, ' ');
    if (said.trim() === '') {
      if (look.line && look.edge === '') look.line.parts.push(' ');
      return;
    }
    range.selectNodeContents(node);
    const { x, y, width, height }: Rect = Reflect.apply(rectOfRange, range, []);
    const at = { x, y, width, height };
    if (at.width < 1 || at.height < 1 || isCutOff(at, way) || sight.isUnreachable(element, at)) return;
    // What the page or we draw as dots is not read either.
    if (style.getPropertyValue('-webkit-text-security') !== 'none') return void add(look, way, secrets.mask, at);
    // Words in the colour of what is behind them, or too small to read, are asked about: few are, and that is dear.
    const isDoubtful = style.color === way.ground || Number.parseFloat(style.fontSize) < 4 || isClear(style.color);
    if (isDoubtful && !sight.isVisible(element)) return;
    add(look, way, said, at);
  }

  /** Tells a control, a picture or the like, with what belongs to it. False where there is nothing of itself to tell. */
  function told(element: Element, role: string, look: Look, way: Way, below: (way: Way) => void): boolean {
    const control = element instanceof HTMLLabelElement ? element.control : null;
    if (control) return labelled(element, control, look, way, below);
    if (!way.isSetAside && isHandle(element, role, look, way)) return handled(element, role, look, way, below);
    if (way.isTold) return false;
    if (!way.isSetAside && look.places.has(element)) place(element, role, look, way);
    const sign = blocks.signOf(element, role) || blocks.closedPart(element);
    if (!sign) return false;
    const at = dom.rect(element);
    if (!isCutOff(at, way)) add(look, way, sign, at);
    return role === 'img' && dom.tag(element) !== 'svg';
  }

  /** What it holds is told after it. */
  function place(element: Element, role: string, look: Look, way: Way): void {
    const at = sight.boxInReach(element);
    if (!at || isCutOff(at, way)) return;
    const name = items.short(blocks.titleOf(element), items.maxNameChars);
    add(look, way, { ...items.item(element, role, at), name, label: name, kind: 'place' }, at);
    flush(look);
  }

  function isHandle(element: Element, role: string, look: Look, way: Way): boolean {
    if (outline.isUsable(role) || blocks.isDraggable(element)) return true;
    if (roles.isFocusable(element) && outline.isTabbable(element))
      return reader.isControl(element) || dom.tag(element) === 'summary' || !blocks.holdsUsable(element, look.holders);
    if (way.isInHandle || look.isPointerEverywhere || !blocks.isPointed(element)) return false;
    const parent = dom.parent(element);
    const isInner = parent !== null && blocks.isPointed(parent) && !blocks.holdsUsable(parent, look.holders);
    return !isInner && dom.textOf(element).trim() !== '' && !blocks.holdsUsable(element, look.holders);
  }

  function handled(element: Element, role: string, look: Look, way: Way, below: (way: Way) => void): boolean {
    const at = sight.boxInReach(element);
    if (!at || isCutOff(at, way)) return false;
    const item = items.item(element, role, at);
    const isPlain = !items.isNamed(element, role);
    if (isPlain && item.kind !== 'button') item.kind = blocks.isDraggable(element) ? 'draggable' : 'clickable';
    const isField = reader.isControl(element) || roles.isEditingHost(element);
    const raw = isField ? '' : names.tidy(dom.textOf(element));
    // What is drawn is asked only where it may differ from the name.
    const isSaid = isField || raw === item.name || !/[\p{L}\p{N}]{2}/u.test(raw);
    const said = isSaid ? raw : names.tidy(reader.read(element, 600));
    if (isPlain && !item.name) item.name = item.label = items.short(said, items.maxNameChars);
    // What it shows but is not called is told beside it; so is what is too long for a name.
    const isLong = said.length > maxWords;
    const isOther = !isLong && /[\p{L}\p{N}]{2}/u.test(said) && !item.name.toLowerCase().includes(said.toLowerCase());
    if (isLong && said.toLowerCase().startsWith(item.name.slice(0, 40).toLowerCase())) item.label = '';
    if (!way.isTold || way.isInHandle || isField) add(look, way, item, at);
    if (isField) for (const hint of blocks.hintsOf(element, look.hints)) add(look, way, ` ${hint}`, at);
    if (!isField) below({ ...way, isInHandle: true, isTold: !isLong && !isOther, lead: '' });
    return true;
  }

  /** The words of a label are those of its control. One that stands for a control nobody sees is the handle itself. */
  function labelled(label: Element, control: Element, look: Look, way: Way, below: (way: Way) => void): boolean {
    const isSeen = sight.isShown(control) && !blocks.isFoldedAway(control);
    const at = sight.boxInReach(label);
    if (!isSeen && at && hiddenBoxes.has(roles.typeOf(control)) && !way.isSetAside) {
      add(look, way, items.item(label, roles.role(control), at, control), at);
      below({ ...way, isInHandle: true, isTold: true });
      return true;
    }
    const name = names.name(control);
    const isTold = isSeen && name !== '' && name.includes(names.tidy(reader.read(label, 600)).split('\n')[0] ?? '');
    below({ ...way, isTold: way.isTold || isTold });
    return true;
  }

  function framed(element: Element, frame: number, look: Look, way: Way): void {
    flush(look);
    const at = dom.rect(element);
    look.lines.push({ lead: '', parts: [], frame, block: way.block, box: at, ...distance(at, way) });
  }

  function drawing(element: Element, tag: string, look: Look, way: Way): void {
    const at = dom.rect(element);
    if (at.width < 60 || at.height < 40 || !sight.isShown(element) || isCutOff(at, way)) return;
    look.edge ||= 'block';
    add(look, way, `<${tag}${quoted(names.label(element))} ${Math.round(at.width)}×${Math.round(at.height)}>`, at);
    look.edge = 'block';
  }

  return { list };
}
