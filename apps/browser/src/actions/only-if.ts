// Holds a step to the element it was decided for: the page may have changed what a ref means to a person since then.

import type { OnlyIf } from '@pilothouse/bus';
import type { Page } from 'playwright-core';
import type { Deadline } from '../common/deadline.ts';
import { StepFailure } from '../common/failure.ts';
import type { FoundElement } from '../dom/element.ts';
import type { Identity } from '../dom/injected/view-items.ts';

const changed = (what: string) => new StepFailure('changed', `${what} is not what the step was decided for`);

/** Throws `changed` where the page in front is another. */
export function checkPage({ page_origin, path }: OnlyIf, page: Page): void {
  const url = URL.parse(page.url());
  if (page_origin !== undefined && url?.origin !== page_origin) throw changed('the site of the page');
  if (path !== undefined && url?.pathname !== path) throw changed('the address of the page');
}

/** Throws `changed` where the element is another than it was. Its document is asked, unless it was `known` a moment ago. */
export async function checkElement(
  only: OnlyIf,
  element: FoundElement,
  known: Identity | undefined,
  deadline: Deadline,
): Promise<void> {
  if (only.origin !== undefined && element.origin !== only.origin) throw changed('the site of the element');
  if (only.role === undefined && only.name === undefined && only.form_action === undefined) return;
  const { role, name, form } = known ?? (await element.identity(deadline));
  if (only.role !== undefined && role !== only.role) throw changed('the kind of the element');
  if (only.name !== undefined && name !== only.name) throw changed('the name of the element');
  if (only.form_action !== undefined && (form?.action ?? null) !== only.form_action)
    throw changed('where the form of the element is sent');
}
