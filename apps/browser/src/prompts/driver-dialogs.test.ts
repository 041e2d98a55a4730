import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Page } from 'playwright-core';
import { createDriverDialogs } from './driver-dialogs.ts';

const dialog = { kind: 'confirm', message: 'sure?', default_value: '' } as const;

it('a dialog that opens while the person hands back is left to the agent, and the next person has the whole time', async ({
  mock,
}) => {
  mock.timers.enable({ apis: ['setTimeout', 'Date'] });
  // Only told apart from other pages.
  const page = {} as Page;
  let isDriven = true;
  let dismissed = 0;
  const dialogs = createDriverDialogs({
    dialogs: {
      of: () => dialog,
      async answer() {
        dismissed += 1;
        return true;
      },
    },
    isDriven: () => isDriven,
    onChange: () => {},
    answerMs: 50,
  });
  dialogs.changed(page, dialog);
  await dialogs.end();
  assert.equal(dismissed, 1);
  // The page asks again at once: the host has not heard of the next driver yet.
  dialogs.changed(page, dialog);
  isDriven = false;
  dialogs.pause();
  mock.timers.tick(150);
  assert.equal(dismissed, 1);
  assert.equal(dialogs.shown(page), null);
  isDriven = true;
  dialogs.begin();
  assert.equal(Date.parse(dialogs.shown(page)?.expires_at ?? ''), Date.now() + 50);
  mock.timers.tick(49);
  assert.equal(dismissed, 1);
  mock.timers.tick(1);
  assert.equal(dismissed, 2);
});
