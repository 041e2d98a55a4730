// Opens, closes and shows pages.

import { StepFailure } from '../common/failure.ts';
import { closePage } from '../pages/close-page.ts';
import type { ActionTools } from './action-tools.ts';
import { navigate } from './navigate.ts';

export async function newPage(tools: ActionTools, url: string | undefined): Promise<void> {
  const page = await tools.touch(() => tools.pages.open());
  if (url !== undefined) await navigate({ ...tools, page }, url);
}

export async function closeTab(tools: ActionTools, name: string | undefined): Promise<void> {
  const page = name === undefined ? tools.page : pageOf(tools, name);
  await tools.touch((firm) => closePage(page, firm));
}

export async function focusPage(tools: ActionTools, name: string): Promise<void> {
  const page = pageOf(tools, name);
  await tools.touch(() => tools.pages.show(page));
}

function pageOf({ pages }: ActionTools, name: string) {
  const page = pages.all().find((one) => pages.id(one) === name);
  if (!page) throw new StepFailure('not_found', 'there is no such page');
  return page;
}
