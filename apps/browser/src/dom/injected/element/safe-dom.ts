/// <reference lib="dom" />
// The files of this folder run in the page, in a world of ours: each exports one function that stands alone, because
// only its text is sent. What the page overrides is not seen here, but what it names is: a form with a field called
// `getAttribute` has that field in place of the method. So what could be a form or the document is asked through the
// prototypes.

export type Dom = ReturnType<typeof createDom>;
export type Rect = { x: number; y: number; width: number; height: number };

export function createDom() {
  /** Deeper than any page is by itself, and not too deep for us. */
  const maxDepth = 1000;
  const getter = <T>(prototype: object, name: string): ((node: Node) => T) => {
    const get = Object.getOwnPropertyDescriptor(prototype, name)?.get ?? (() => undefined);
    return (node) => Reflect.apply(get, node, []);
  };
  const method = <Args extends unknown[], T>(of: (...args: Args) => T): ((node: Node, ...args: Args) => T) => {
    return (node, ...args) => Reflect.apply(of, node, args);
  };

  const firstChild = getter<ChildNode | null>(Node.prototype, 'firstChild');
  const nextSibling = getter<ChildNode | null>(Node.prototype, 'nextSibling');
  const parentNode = getter<ParentNode | null>(Node.prototype, 'parentNode');
  const nodeType = getter<number>(Node.prototype, 'nodeType');
  const textContent = getter<string | null>(Node.prototype, 'textContent');
  const localName = getter<string>(Element.prototype, 'localName');
  const openShadowRoot = getter<ShadowRoot | null>(Element.prototype, 'shadowRoot');
  /** Roots that the page keeps closed, as the browser told us of them. */
  const closedRoots = new WeakMap<Node, ShadowRoot>();
  const shadowRoot = (node: Node): ShadowRoot | null => openShadowRoot(node) ?? closedRoots.get(node) ?? null;
  const assignedSlot = getter<HTMLSlotElement | null>(Element.prototype, 'assignedSlot');
  const textSlot = getter<HTMLSlotElement | null>(Text.prototype, 'assignedSlot');
  const isConnected = getter<boolean>(Node.prototype, 'isConnected');
  const documentElement = getter<Element | null>(Document.prototype, 'documentElement');
  const scrollLeft = getter<number>(Element.prototype, 'scrollLeft');
  const scrollTop = getter<number>(Element.prototype, 'scrollTop');
  const scrollWidth = getter<number>(Element.prototype, 'scrollWidth');
  const scrollHeight = getter<number>(Element.prototype, 'scrollHeight');
  const getAttribute = method(Element.prototype.getAttribute);
  const queryAll = method(Element.prototype.querySelectorAll);
  const queryDocument = method(Document.prototype.querySelectorAll);
  const queryFragment = method(DocumentFragment.prototype.querySelectorAll);
  const byId = method(Document.prototype.getElementById);
  const byIdInShadow = method(DocumentFragment.prototype.getElementById);
  const getRootNode = method(Node.prototype.getRootNode);
  const matchesSelector = method(Element.prototype.matches);
  const closestOf = method(Element.prototype.closest);
  const rectOf = method(Element.prototype.getBoundingClientRect);
  const rectsOf = method(Element.prototype.getClientRects);
  const attributeNames = method(Element.prototype.getAttributeNames);
  const fromPoint = method(Document.prototype.elementFromPoint);

  const isElement = (node: Node | null): node is Element => node !== null && nodeType(node) === 1;
  const isText = (node: Node): boolean => nodeType(node) === 3;

  /** The nodes below as they are drawn: a shadow root in place of what its host holds, and that in its slots. */
  function eachChild(node: Node, visit: (child: Node) => void): void {
    if (node instanceof HTMLSlotElement) {
      const assigned = node.assignedNodes();
      if (assigned.length > 0) {
        for (const child of assigned) visit(child);
        return;
      }
    }
    const from = (isElement(node) && shadowRoot(node)) || node;
    for (let child = firstChild(from); child; child = nextSibling(child)) visit(child);
  }

  /** The element around it as it is drawn. */
  function parent(node: Node): Element | null {
    const slot = isElement(node) ? assignedSlot(node) : isText(node) ? textSlot(node) : null;
    const above = slot ?? parentNode(node);
    if (above instanceof ShadowRoot) return above.host;
    return isElement(above) ? above : null;
  }

  function isWithin(node: Node, ancestor: Node): boolean {
    for (let one: Node | null = node; one; one = parent(one)) if (one === ancestor) return true;
    return false;
  }

  /** Whether it, or something around it, fits the selector; also from inside shadow roots. */
  function isInside(element: Element, selector: string): boolean {
    for (let one: Element | null = element; one; ) {
      if (closestOf(one, selector)) return true;
      const root = getRootNode(one);
      one = root instanceof ShadowRoot ? root.host : null;
    }
    return false;
  }

  /** In the order of the document. */
  function eachElement(from: Element, enter: (element: Element) => void, depth = 0): void {
    enter(from);
    eachChild(from, (child) => {
      if (depth < maxDepth && isElement(child)) eachElement(child, enter, depth + 1);
    });
  }

  function all(from: Element | null = documentElement(document)): Element[] {
    const elements: Element[] = [];
    if (from) eachElement(from, (element) => elements.push(element));
    return elements;
  }

  /** Everything the selector fits, also in open shadow roots. An invalid selector throws. */
  function select(selector: string, within?: Element): Element[] {
    const found = new Set(within ? queryAll(within, selector) : queryDocument(document, selector));
    for (const element of all(within)) {
      const root = shadowRoot(element);
      if (root) for (const match of queryFragment(root, selector)) found.add(match);
    }
    return [...found];
  }

  /** Ids count within one tree: the document's or a shadow root's. */
  function elementById(near: Element, id: string): Element | null {
    const root = getRootNode(near);
    return root instanceof ShadowRoot ? byIdInShadow(root, id) : byId(document, id);
  }

  /** What is drawn on top there, also in shadow roots. */
  function atPoint(x: number, y: number): Element | null {
    let hit = fromPoint(document, x, y);
    for (let root = hit && shadowRoot(hit); hit && root; root = shadowRoot(hit)) {
      const inner: Element | null = root.elementFromPoint(x, y);
      if (!inner || inner === hit) break;
      hit = inner;
    }
    return hit;
  }

  return {
    maxDepth,
    isElement,
    isText,
    isConnected,
    textOf: (node: Node) => textContent(node) ?? '',
    tag: localName,
    shadowRoot,
    openRoot: (host: Element, root: ShadowRoot): void => void closedRoots.set(host, root),
    attribute: (element: Element, name: string): string | null => getAttribute(element, name),
    attributeNames,
    eachChild,
    parent,
    isWithin,
    isInside,
    all,
    select,
    elementById,
    atPoint,
    matches: matchesSelector,
    closest: closestOf,
    rect: rectOf,
    rects: rectsOf,
    scrollLeft,
    scrollTop,
    scrollWidth,
    scrollHeight,
    root: () => documentElement(document),
    /** The page may give another thing this name. */
    isBody: (element: Element) => localName(element) === 'body' && parentNode(element) === documentElement(document),
  };
}
