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

  /** Only what navigation uses. */
  function toolsOf({ page, cdp }: Pick<Awaited<ReturnType<Stage['show']>>, 'page' | 'cdp'>): ActionTools {
    const deadline = soon(5000);
    return {
      page,
      pages: { cdp: async () => cdp },
      deadline,
      refused: { since: () => false },
      touch: <T>(work: (firm: typeof deadline) => Promise<T>) => work(deadline),
    } as unknown as ActionTools;
  }

  it('open an address although the error page of a load before comes only now', async () => {
    await using shown = await stage.show('<title>Here</title>');
    for (let round = 0; round < 10; round += 1) {
      await assert.rejects(shown.page.goto('http://127.0.0.1:1/'), /ERR_UNSAFE_PORT/);
      await navigate(toolsOf(shown), `data:text/html,<title>There ${round}</title>`);
      assert.equal(await shown.page.title(), `There ${round}`);
      await assert.rejects(shown.page.goto('http://127.0.0.1:1/'), /ERR_UNSAFE_PORT/);
      await assert.rejects(navigate(toolsOf(shown), 'http://127.0.0.1:1/?again'), /ERR_UNSAFE_PORT/);
    }
  });

  it('leave no abort listener behind that a later driver would trigger', async () => {
    await using shown = await stage.show('<title>Here</title>');
    const tools = toolsOf(shown);
    const { deadline } = tools;
    await reload(tools);
    await navigate(tools, 'data:text/html,<title>There</title>');
    await assert.rejects(navigate(tools, 'http://127.0.0.1:1/'), /ERR_UNSAFE_PORT/);
    assert.equal(await shown.page.title(), '');
    assert.deepEqual(getEventListeners(deadline.signal, 'abort'), []);
  });
});
