// From what a person would call it to the one element that is meant. A guess is never acted on: what fits several
// visible elements is ambiguous.

import type { Target } from '@pilothouse/contract';
import type { Locator, Page } from 'playwright-core';
import { type Deadline, pause, within } from '../deadline.ts';
import { failureOf, StepFailure } from '../failure.ts';

/** What the element is wanted for: a word may name a field and a button. */
export type Purpose = 'press' | 'fill' | 'select' | 'check';

type Role = Parameters<Page['getByRole']>[0];
/** How a name is compared: to the letter, ignoring case, or as a part of a longer one. */
type Closeness = 'exact' | 'whole' | 'part';

const POLL_MS = 100;
/** A page that still grows may yet show the exact name: a part of one counts only after this. */
const PART_AFTER_MS = 300;

const pressable: Role[] = ['button', 'link', 'menuitem', 'menuitemcheckbox', 'menuitemradio', 'tab', 'option'];
const checkable: Role[] = ['checkbox', 'radio', 'switch'];
const fillable: Role[] = ['textbox', 'searchbox', 'combobox', 'spinbutton'];
const selectable: Role[] = ['combobox', 'listbox'];

const rolesFor: Record<Purpose, Role[][]> = {
  press: [pressable, [...checkable, ...fillable, 'listbox', 'treeitem']],
  fill: [fillable],
  select: [selectable],
  check: [[...checkable, 'menuitemcheckbox', 'menuitemradio']],
};

export async function findTarget(page: Page, target: Target, purpose: Purpose, deadline: Deadline): Promise<Locator> {
  const sure = [...candidates(page, target, purpose, 'exact'), ...candidates(page, target, purpose, 'whole')];
  const unsure = candidates(page, target, purpose, 'part');
  const begun = performance.now();
  while (!deadline.isOver()) {
    const mayBePart = performance.now() - begun >= PART_AFTER_MS;
    const found = await firstVisible(mayBePart ? [...sure, ...unsure] : sure, deadline);
    if (found) return found;
    await pause(POLL_MS, deadline);
  }
  throw new StepFailure('not_found', 'nothing visible on the page is called so');
}

async function firstVisible(locators: Locator[], deadline: Deadline): Promise<Locator | undefined> {
  for (const locator of locators) {
    const visible = locator.filter({ visible: true });
    const count = await within(deadline, visible.count()).catch(passOrThrow);
    if (count === 1) return visible;
    if (count > 1) throw new StepFailure('ambiguous', `${count} visible elements match`);
  }
  return undefined;
}

/** A page in the middle of a navigation has nothing to find, for now. */
function passOrThrow(error: unknown): 0 {
  const { failure, message, cause } = failureOf(error);
  if (failure === 'timeout' || /context was destroyed|navigat/.test(String(cause))) return 0;
  throw new StepFailure(failure, message, { cause });
}

function candidates(page: Page, target: Target, purpose: Purpose, closeness: Closeness): Locator[] {
  if (typeof target === 'string') return byName(page, target, purpose, closeness);
  if ('name' in target) {
    // An unknown role is not an error: nothing has it.
    return target.role === undefined
      ? byName(page, target.name, purpose, closeness)
      : [byRoles(page, [target.role as Role], target.name, closeness)];
  }
  if ('text' in target) return [page.getByText(...asked(target.text, closeness))];
  if ('label' in target) return [page.getByLabel(...asked(target.label, closeness))];
  if ('css' in target) return closeness === 'exact' ? [page.locator(`css=${target.css}`)] : [];
  throw new StepFailure('unsupported', 'this host does not mark elements');
}

function byName(page: Page, name: string, purpose: Purpose, closeness: Closeness): Locator[] {
  const roles = rolesFor[purpose].map((some) => byRoles(page, some, name, closeness));
  const labels = [page.getByLabel(...asked(name, closeness)), page.getByPlaceholder(...asked(name, closeness))];
  const text = page.getByText(...asked(name, closeness));
  return purpose === 'press' ? [...roles, text, ...labels] : [...roles, ...labels, text];
}

function byRoles(page: Page, roles: Role[], name: string, closeness: Closeness): Locator {
  const [text, options] = asked(name, closeness);
  return roles.map((role) => page.getByRole(role, { name: text, ...options })).reduce((all, one) => all.or(one));
}

function asked(text: string, closeness: Closeness): [text: string | RegExp, options: { exact: boolean }] {
  if (closeness !== 'whole') return [text, { exact: closeness === 'exact' }];
  return [new RegExp(`^\\s*${RegExp.escape(text.trim())}\\s*$`, 'i'), { exact: false }];
}
