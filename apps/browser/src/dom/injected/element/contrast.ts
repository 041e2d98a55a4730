// Whether something is drawn in the colour of what is behind it. Only what is certain counts: where pictures, gradients
// or blending are in play, it can be seen.

import type { Paint } from './paint.ts';
import type { Dom, Rect } from './safe-dom.ts';

export type Contrast = ReturnType<typeof createContrast>;

export function createContrast(dom: Dom, paint: Paint) {
  type Colour = { red: number; green: number; blue: number; alpha: number };
  const leastRatio = 1.1;
  const leastStep = 24;
  /** Larger things have enough in them that something of it can be seen. */
  const maxElements = 60;
  const white = { red: 255, green: 255, blue: 255, alpha: 1 };
  const pictures = new Set([
    'img',
    'svg',
    'video',
    'canvas',
    'iframe',
    'object',
    'embed',
    'input',
    'select',
    'textarea',
  ]);
  const fieldTypes = new Set(['text', 'password', 'email', 'tel', 'url', 'search', 'number', 'textarea']);
  const colours = new Map<string, Colour>();

  function colourOf(text: string): Colour {
    const known = colours.get(text);
    if (known) return known;
    const [red = 0, green = 0, blue = 0, alpha = 1] = /^rgba?\(/.test(text)
      ? (text.match(/[\d.]+/g) ?? []).map(Number)
      : drawn(text);
    const colour = { red, green, blue, alpha };
    if (colours.size < 1000) colours.set(text, colour);
    return colour;
  }

  /** Other spaces of colour, as the screen has them. */
  function drawn(text: string): number[] {
    const canvas = new OffscreenCanvas(1, 1).getContext('2d');
    if (!canvas) return [];
    canvas.fillStyle = text;
    canvas.fillRect(0, 0, 1, 1);
    const [red = 0, green = 0, blue = 0, alpha = 255] = canvas.getImageData(0, 0, 1, 1).data;
    return [red, green, blue, alpha / 255];
  }

  function over(front: Colour, back: Colour): Colour {
    const mix = (one: number, other: number) => one * front.alpha + other * (1 - front.alpha);
    return {
      red: mix(front.red, back.red),
      green: mix(front.green, back.green),
      blue: mix(front.blue, back.blue),
      alpha: 1,
    };
  }

  function lightOf({ red, green, blue }: Colour): number {
    const linear = (value: number) => (value <= 10 ? value / 3294 : ((value / 255 + 0.055) / 1.055) ** 2.4);
    return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
  }

  function differs(one: Colour, other: Colour): boolean {
    const [light, dark] = [lightOf(one), lightOf(other)].sort((a, b) => b - a);
    if (((light ?? 0) + 0.05) / ((dark ?? 0) + 0.05) >= leastRatio) return true;
    return (['red', 'green', 'blue'] as const).some((part) => Math.abs(one[part] - other[part]) >= leastStep);
  }

  /** The one colour behind what is in an element, by everything around it; undefined where there is none, or it is not known. */
  function behind(element: Element | null): Colour | undefined {
    const layers: Colour[] = [];
    for (let up = element; up; up = dom.parent(up)) {
      const style = paint.styleOf(up);
      if (style.backgroundImage !== 'none' || style.mixBlendMode !== 'normal' || style.backdropFilter !== 'none')
        return undefined;
      const colour = colourOf(style.backgroundColor);
      if (colour.alpha > 0) layers.push(colour);
      if (colour.alpha === 1) return layers.reduceRight(painted);
    }
    const root = dom.root();
    // A frame shows what is behind it, and a dark window is not white.
    if (window !== window.top || (root && /dark/.test(paint.styleOf(root).colorScheme))) return undefined;
    return layers.reduceRight(painted, white);
  }

  const painted = (back: Colour, front: Colour) => over(front, back);

  function hasEdge(style: CSSStyleDeclaration, back: Colour): boolean {
    if (style.boxShadow !== 'none' || style.textShadow !== 'none') return true;
    const sides = ['Top', 'Right', 'Bottom', 'Left'] as const;
    const isDrawn = (line: string, width: string, colour: string) =>
      line !== 'none' &&
      line !== 'hidden' &&
      Number.parseFloat(width) > 0 &&
      differs(over(colourOf(colour), back), back);
    return (
      isDrawn(style.outlineStyle, style.outlineWidth, style.outlineColor) ||
      sides.some((side) =>
        isDrawn(style[`border${side}Style`], style[`border${side}Width`], style[`border${side}Color`]),
      )
    );
  }

  /** Something before or after it that only its styles draw. */
  const hasDecoration = (element: Element): boolean =>
    ['::before', '::after'].some((part) => !['none', 'normal', ''].includes(getComputedStyle(element, part).content));

  function hasWords(element: Element): boolean {
    let has = false;
    dom.eachChild(element, (child) => {
      has ||= dom.isText(child) && dom.textOf(child).trim() !== '';
    });
    return has;
  }

  /** Whether something of the element itself, without what it holds, stands out from what is behind it. */
  function standsOut(element: Element): boolean {
    const style = paint.styleOf(element);
    const back = behind(element);
    if (!back) return true;
    const isField = element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement;
    if (isField || hasWords(element)) {
      const ink = colourOf(style.webkitTextFillColor || style.color);
      // Fields that show what is typed elsewhere have clear ink; a password is not shown elsewhere.
      if (isField && ink.alpha < 1 && element.type !== 'password') return true;
      if (differs(over(ink, back), back)) return true;
    }
    if (isField && element.placeholder && element.value === '') {
      if (differs(over(colourOf(getComputedStyle(element, '::placeholder').color), back), back)) return true;
    }
    const outside = behind(dom.parent(element));
    return !outside || differs(back, outside) || hasEdge(style, outside) || (!isField && hasDecoration(element));
  }

  /** Whether something that is not around it lies where it is, and may be what it is seen against. */
  function liesOverSomething(element: Element, box: Rect): boolean {
    const outside = behind(dom.parent(element));
    return dom.all().some((one) => {
      const { width, height } = paint.overlap(dom.rect(one), box);
      if (width * height * 2 < box.width * box.height || dom.isWithin(one, element)) return false;
      if (dom.isWithin(element, one)) return !dom.isBody(one) && one !== dom.root() && hasDecoration(one);
      if (pictures.has(dom.tag(one))) return !paint.isTransparent(one);
      const { backgroundImage, backgroundColor } = paint.styleOf(one);
      if (backgroundImage !== 'none' || hasDecoration(one)) return true;
      const colour = colourOf(backgroundColor);
      return colour.alpha > 0 && (!outside || differs(over(colour, outside), outside));
    });
  }

  /** Words, or a field for them, in the colour of what is behind, without anything else to be seen of it. */
  function isFaint(element: Element, box: Rect): boolean {
    const isField = element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement;
    if (isField && !fieldTypes.has(element.type)) return false;
    if ((!isField && dom.textOf(element).trim() === '') || standsOut(element)) return false;
    const inner = dom.all(element).slice(1);
    if (inner.length > maxElements || inner.some((one) => pictures.has(dom.tag(one)) || standsOut(one))) return false;
    return !liesOverSomething(element, box);
  }

  return { isFaint };
}
