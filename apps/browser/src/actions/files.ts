// Uploads files into a page, and downloads files from it.

import type { Target } from '@pilothouse/contract';
import { handledLater } from '../common/best-effort.ts';
import { within } from '../common/deadline.ts';
import { StepFailure } from '../common/failure.ts';
import type { ActionTools } from './action-tools.ts';
import { clickOn } from './pointer.ts';

const chooserMs = 3000;

export async function upload(tools: ActionTools, target: Target, name: string): Promise<void> {
  const { page, deadline, files, touch } = tools;
  const path = files.called(name);
  if (path === undefined) throw new StepFailure('not_found', 'there is no such file to upload');
  const field = await tools.reach(target, 'upload', { isTouch: false });
  if (await field.call(isFileField, [], deadline)) {
    await touch(() => field.cdp.send('DOM.setFileInputFiles', { files: [path], objectId: field.objectId }));
    return;
  }
  const timeout = deadline.atMost(chooserMs).leftMs();
  const chooser = page.waitForEvent('filechooser', { timeout, signal: deadline.signal });
  // The first failure is thrown: of the click, or of the chooser that does not come.
  handledLater(chooser);
  const { point } = await field.ready({ isTouch: true }, deadline);
  await clickOn(tools, field, point);
  const opened = await chooser;
  await touch(() => opened.setFiles(path, { timeout: deadline.leftMs() }));
}

export async function download(tools: ActionTools, target: Target): Promise<void> {
  const { page, deadline, files } = tools;
  const element = await tools.reach(target, 'press');
  const expected = files.expect(page);
  try {
    await clickOn(tools, element, tools.point());
    const begun = await within(deadline, expected.begun).catch((cause) => {
      throw new StepFailure('timeout', 'no download began', { cause });
    });
    tools.bring({ file: await files.keep(begun, deadline) });
  } finally {
    expected.close();
  }
}

/** Runs in the page. */
function isFileField(element: Element): boolean {
  return element instanceof HTMLInputElement && element.type === 'file';
}
