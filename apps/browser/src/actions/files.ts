import type { Target } from '@pilothouse/contract';
import { within } from '../deadline.ts';
import { StepFailure } from '../failure.ts';
import type { Hands } from './hands.ts';
import { clickOn } from './touch.ts';

const CHOOSER_MS = 3000;

export async function upload(hands: Hands, target: Target, name: string): Promise<void> {
  const { page, deadline, files, touch } = hands;
  const path = files.called(name);
  if (path === undefined) throw new StepFailure('not_found', 'there is no such file to upload');
  const field = await hands.reach(target, 'upload', { isTouch: false });
  if (await field.call(isFileField, [], deadline)) {
    await touch(() => field.cdp.send('DOM.setFileInputFiles', { files: [path], objectId: field.objectId }));
    return;
  }
  const timeout = deadline.atMost(CHOOSER_MS).leftMs();
  const chooser = page.waitForEvent('filechooser', { timeout, signal: deadline.signal });
  // Whoever fails first is heard: the click, or the chooser that does not come.
  chooser.catch(() => undefined);
  const { point } = await field.ready({ isTouch: true }, deadline);
  await clickOn(hands, field, point);
  const opened = await chooser;
  await touch(() => opened.setFiles(path, { timeout: deadline.leftMs() }));
}

export async function download(hands: Hands, target: Target): Promise<void> {
  const { page, deadline, files } = hands;
  const element = await hands.reach(target, 'press');
  const expected = files.expect(page);
  try {
    await clickOn(hands, element, hands.point());
    const begun = await within(deadline, expected.begun).catch((cause) => {
      throw new StepFailure('timeout', 'no download began', { cause });
    });
    hands.bring({ file: await files.keep(begun, deadline) });
  } finally {
    expected.close();
  }
}

/** Runs in the page. */
function isFileField(element: Element): boolean {
  return element instanceof HTMLInputElement && element.type === 'file';
}
