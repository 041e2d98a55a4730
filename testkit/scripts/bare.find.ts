import type { Target } from '@pilothouse/contract';
import type { Frame, Locator, Page } from 'playwright-core';

export type Purpose = 'press' | 'fill' | 'select' | 'check' | 'upload' | 'any';
type Role = Parameters<Frame['getByRole']>[0];

const pressable: Role[] = ['button', 'link', 'menuitem', 'tab', 'option'];
const fillable: Role[] = ['textbox', 'searchbox', 'combobox', 'spinbutton'];
const checkable: Role[] = ['checkbox', 'radio', 'switch'];
const labelled: Role[] = [...fillable, 'listbox', 'slider'];
const roles: Record<Purpose, Role[]> = {
  press: pressable,
  any: pressable,
  fill: fillable,
  select: ['combobox', 'listbox'],
  check: checkable,
  upload: [],
};
const pollMs = 50;

/** The one element that is meant, by its whole name, in any frame. */
export async function find(page: () => Page, target: Target, purpose: Purpose, withinMs: number): Promise<Locator> {
  const end = performance.now() + withinMs;
  while (performance.now() < end) {
    const found = await look(page(), target, purpose).catch(() => undefined);
    if (found && found.length > 1) throw new Error(`several elements match ${JSON.stringify(target)}`);
    if (found?.[0]) return found[0];
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
  throw new Error(`nothing visible is called ${JSON.stringify(target)}`);
}

async function look(page: Page, target: Target, purpose: Purpose): Promise<Locator[] | undefined> {
  const ways = page.frames().map((frame) => waysOf(frame, target, purpose));
  for (const index of ways[0]?.keys() ?? []) {
    const all = await Promise.all(ways.map((one) => seen(one[index], purpose)));
    if (all.flat().length > 0) return all.flat();
  }
  return undefined;
}

const seen = async (locator: Locator | undefined, purpose: Purpose): Promise<Locator[]> =>
  (await (purpose === 'upload' ? locator : locator?.filter({ visible: true }))?.all().catch(() => [])) ?? [];

/** From the likeliest. */
function waysOf(frame: Frame, target: Target, purpose: Purpose): Locator[] {
  const exact = true;
  const named = (some: Role[], name: string) =>
    some
      .map((role) => frame.getByRole(role, { name, exact }))
      .reduce((one, other) => one.or(other), frame.locator('#no-such-id'));
  const isFramedName = typeof target === 'object' && 'name' in target && target.frame !== undefined && !target.role;
  if (typeof target === 'string' || isFramedName) {
    const name = typeof target === 'string' ? target : target.name;
    return [
      named(roles[purpose], name),
      named([...fillable, ...checkable], name),
      frame.getByLabel(name, { exact }),
      frame.getByPlaceholder(name, { exact }),
      frame.getByText(name, { exact }),
    ];
  }
  if ('css' in target) return [frame.locator(target.css)];
  // A label around a list would be read with all its options.
  if ('label' in target) return [frame.getByLabel(target.label, { exact }), named(labelled, target.label)];
  if ('text' in target) return [frame.getByText(target.text, { exact })];
  if ('ref' in target) throw new Error('marks are of the product');
  // The roles of scripts are those of ARIA, as the library's are.
  return [
    target.role ? frame.getByRole(target.role as Role, { name: target.name, exact }) : named(pressable, target.name),
  ];
}
