import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { until } from '../../../../testkit/until.ts';
import { type SharedChromium, startSharedChromium } from '../../testing/guests.ts';
import { createPageSessions } from './page-sessions.ts';

describe('sessions of the host to pages, over its pipe', () => {
  let chromium: SharedChromium;
  before(async () => {
    chromium = await startSharedChromium(34_240);
  });
  after(() => chromium?.end());

  const openSessions = () => createPageSessions(chromium.openGuest, new AbortController().signal);
  async function openPage(title: string): Promise<{ page: Page; targetId: string }> {
    const page = await chromium.browser.newPage();
    await page.goto(`data:text/html,<title>${title}</title>`);
    const { targetInfo } = await (await page.context().newCDPSession(page)).send('Target.getTargetInfo');
    return { page, targetId: targetInfo.targetId };
  }
  const titleAt = async (sessions: ReturnType<typeof openSessions>, targetId: string) => {
    const session = await sessions.of(targetId);
    return (await session.send('Runtime.evaluate', { expression: 'document.title' })).result.value;
  };

  it('ask each page, whatever it shows by then, and are opened once', async () => {
    const sessions = openSessions();
    const [one, two] = [await openPage('One'), await openPage('Two')];
    assert.deepEqual(await Promise.all([one, two].map(({ targetId }) => titleAt(sessions, targetId))), ['One', 'Two']);
    const known = await sessions.of(one.targetId);
    await one.page.goto('data:text/html,<title>Three</title>');
    assert.equal(await titleAt(sessions, one.targetId), 'Three');
    assert.equal(await sessions.of(one.targetId), known);
    sessions.close();
    await Promise.all([one, two].map(({ page }) => page.context().close()));
  });

  it('say what went wrong, also for a page that is not there, or is there no more', async () => {
    const sessions = openSessions();
    const { page, targetId } = await openPage('One');
    const session = await sessions.of(targetId);
    await assert.rejects(
      session.send('Runtime.callFunctionOn', { functionDeclaration: 'x', objectId: 'none' }),
      /Runtime\.callFunctionOn: /,
    );
    await assert.rejects(sessions.of('NONE'), /Target\.attachToTarget: /);
    await page.context().close();
    await until(
      () =>
        sessions.of(targetId).then(
          () => false,
          () => true,
        ),
      5000,
    );
    await assert.rejects(session.send('Page.getFrameTree'));
    sessions.close();
  });

  it('end with the one who asks, and are opened anew by the next question', async () => {
    const sessions = openSessions();
    const { page, targetId } = await openPage('One');
    const session = await sessions.of(targetId);
    sessions.close();
    await until(
      () =>
        session.send('Page.getFrameTree').then(
          () => false,
          () => true,
        ),
      5000,
    );
    assert.equal(await titleAt(sessions, targetId), 'One');
    sessions.close();
    await page.context().close();
  });
});
