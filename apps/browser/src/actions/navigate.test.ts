import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { after, before, describe, it } from 'node:test';
import { openStage, type Stage, soon } from '../../testing/stage.ts';
import { navigate, reload } from './go.ts';
import type { Hands } from './hands.ts';

describe('going to a page', () => {
  let stage: Stage;
  before(async () => {
    stage = await openStage();
  });
  after(() => stage?.close());

  it('leaves nothing behind that a later driver would set off', async () => {
    await using shown = await stage.show('<title>Here</title>');
    const deadline = soon(5000);
    // All that going needs of them.
    const hands = {
      page: shown.page,
      pages: { cdp: async () => shown.cdp },
      deadline,
      refused: { since: () => false },
      touch: <T>(work: (firm: typeof deadline) => Promise<T>) => work(deadline),
    } as unknown as Hands;
    await reload(hands);
    await navigate(hands, 'data:text/html,<title>There</title>');
    await assert.rejects(navigate(hands, 'http://127.0.0.1:1/'), /ERR_UNSAFE_PORT/);
    assert.equal(await shown.page.title(), '');
    assert.deepEqual(getEventListeners(deadline.signal, 'abort'), []);
  });
});
