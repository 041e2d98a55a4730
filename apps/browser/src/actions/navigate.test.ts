import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { after, before, describe, it } from 'node:test';
import { openStage, type Stage, soon } from '../../testing/stage.ts';
import type { ActionTools } from './action-tools.ts';
import { navigate, reload } from './navigate.ts';

describe('navigate and reload', () => {
  let stage: Stage;
  before(async () => {
    stage = await openStage();
  });
  after(() => stage?.close());

  it('leave no abort listener behind that a later driver would trigger', async () => {
    await using shown = await stage.show('<title>Here</title>');
    const deadline = soon(5000);
    // Only what navigation uses.
    const tools = {
      page: shown.page,
      pages: { cdp: async () => shown.cdp },
      deadline,
      refused: { since: () => false },
      touch: <T>(work: (firm: typeof deadline) => Promise<T>) => work(deadline),
    } as unknown as ActionTools;
    await reload(tools);
    await navigate(tools, 'data:text/html,<title>There</title>');
    await assert.rejects(navigate(tools, 'http://127.0.0.1:1/'), /ERR_UNSAFE_PORT/);
    assert.equal(await shown.page.title(), '');
    assert.deepEqual(getEventListeners(deadline.signal, 'abort'), []);
  });
});
