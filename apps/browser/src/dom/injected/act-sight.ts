// What a program's act is about: the element at a point, or the one that has the focus. One long function, because its text is sent.
// Never gives away what a field holds.

import type { Names } from './element/names.ts';
import type { Roles } from './element/roles.ts';
import type { Dom, Rect } from './element/safe-dom.ts';
import type { Secrets } from './element/secrets.ts';

/** `secret`: what is written there must not be stored. */
export type ActSight = { role: string; name: string; secret: boolean; box: Rect };

type Parts = { dom: Dom; roles: Roles; names: Names; secrets: Secrets };

export function createActSight({ dom, roles, names, secrets }: Parts) {
  const maxChars = 200;
  const controls =
    'a[href], area[href], button, input, select, textarea, summary, option, label, [role="button"], [role="link"], ' +
    '[role="tab"], [role="menuitem"], [role="option"], [role="checkbox"], [role="radio"], [role="switch"]';
  const frames = 'iframe, frame, object, embed, fencedframe';
  const getter = (prototype: object, name: string) => Object.getOwnPropertyDescriptor(prototype, name)?.get;
  const activeOf = getter(Document.prototype, 'activeElement');
  const activeInRoot = getter(ShadowRoot.prototype, 'activeElement');
  const secretWords =
    /pass(word|wort|code|phrase)|kennwort|contrase|mot de passe|\bpin\b|\bcv[cv]\b|card num|security code|one.?time|\botp\b/i;

  /** It, or the control around it; a label stands for its field. */
  function controlOf(element: Element): Element {
    for (let one: Element | null = element; one; one = dom.parent(one)) {
      if (!dom.matches(one, controls)) continue;
      return one instanceof HTMLLabelElement ? (one.control ?? one) : one;
    }
    return element;
  }

  function describe(element: Element): ActSight {
    const name = names.name(element);
    const { x, y, width, height } = dom.rect(element);
    const secret = secrets.isSecret(element) || secretWords.test(`${name} ${names.placeholder(element)}`);
    return {
      role: roles.role(element).slice(0, 50),
      name: name.slice(0, maxChars),
      secret,
      box: { x, y, width, height },
    };
  }

  function at(x: number, y: number): ActSight | null {
    const hit = dom.atPoint(x, y);
    return hit ? describe(controlOf(hit)) : null;
  }

  /** Null where nothing of this document has the focus, or a frame has it: then it is not known what is written into. */
  function focused(): ActSight | null {
    let active = activeOf ? (Reflect.apply(activeOf, document, []) as Element | null) : null;
    for (let root = active && dom.shadowRoot(active); root && activeInRoot; root = active && dom.shadowRoot(active)) {
      const inner = Reflect.apply(activeInRoot, root, []) as Element | null;
      if (!inner) break;
      active = inner;
    }
    return !active || dom.isBody(active) || dom.matches(active, frames) ? null : describe(active);
  }

  return { at, focused };
}
