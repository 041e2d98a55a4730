import { StepFailure } from '../failure.ts';
import { navigate } from './go.ts';
import type { Hands } from './hands.ts';

export async function newPage(hands: Hands, url: string | undefined): Promise<void> {
  const page = await hands.touch(() => hands.pages.open());
  if (url !== undefined) await navigate({ ...hands, page }, url);
}

export async function closePage(hands: Hands, name: string | undefined): Promise<void> {
  const page = name === undefined ? hands.page : pageOf(hands, name);
  // A page that asks whether to leave it is not asked.
  await hands.touch(() => page.close({ runBeforeUnload: false }));
}

export async function focusPage(hands: Hands, name: string): Promise<void> {
  const page = pageOf(hands, name);
  await hands.touch(() => hands.pages.show(page));
}

function pageOf({ pages }: Hands, name: string) {
  const page = pages.all().find((one) => pages.id(one) === name);
  if (!page) throw new StepFailure('not_found', 'there is no such page');
  return page;
}
