import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createClient, isApiError } from '@pilothouse/sdk';
import { type Installation, openInstallation } from '../testkit/installation.ts';
import { places, type SharedForm, startSharedForm } from '../testkit/pages/shared-form.ts';
import { until } from '../testkit/until.ts';

const atOnce = 5;

describe('a person drives in several windows', () => {
  let installation: Installation;
  let site: SharedForm;
  before(async () => {
    site = await startSharedForm();
    installation = await openInstallation('windows', { servers: 2, agents: 1, browsers: 1, sites: [site.url] });
  });
  after(async () => {
    await installation?.close();
    await site?.close();
  });

  /** A window: a page of a front end with a client and a name of its own, at one of the servers. */
  function openWindow(name: string, server: 0 | 1) {
    const { port, protocol, hostname } = new URL(installation.baseUrl);
    const client = createClient({ baseUrl: `${protocol}//${hostname}:${Number(port) + server}` });
    const closing = new AbortController();
    return { client, client_id: name, closed: closing.signal, close: () => closing.abort() };
  }
  type Window = ReturnType<typeof openWindow>;

  async function untilActive(id: string): Promise<string> {
    let takeoverId = '';
    await until(async () => {
      const { takeover } = (await installation.client.getSession({ id })).snapshot;
      takeoverId = takeover?.takeover_id ?? '';
      return takeover?.status === 'active';
    }, 60_000);
    return takeoverId;
  }

  it('and loses and doubles no character when a window is loaded again, or another goes on', async () => {
    const { session } = await installation.client.createSession();
    const { id } = session;
    const first = openWindow('a tab', 0);
    await first.client.requestSessionTakeover({ id, client_id: first.client_id });
    const takeover_id = await untilActive(id);
    const text = Array.from({ length: 200 }, (_, index) => String.fromCharCode(0x4e00 + index)).join('');
    /** The numbers 1 and 2 open the page and its field; the letters follow. */
    const before = 2;
    const lettersOf = (client_id: string, from: number, to: number) =>
      Array.from({ length: to - from + 1 }, (_, index) => {
        const input_seq = from + index;
        return {
          action: 'type' as const,
          text: text.charAt(input_seq - before - 1),
          takeover_id,
          client_id,
          input_seq,
        };
      });
    /** A few letters in each request, all on their way together, and sent again until they are answered. */
    const type = ({ client, client_id, closed }: Window, from: number, to: number) =>
      Array.from({ length: Math.ceil((to - from + 1) / atOnce) }, async (_, index) => {
        const begin = from + index * atOnce;
        const actions = lettersOf(client_id, begin, Math.min(to, begin + atOnce - 1));
        for (;;) {
          try {
            return await client.movePointer({ id, actions });
          } catch (error) {
            if (closed.aborted || !isApiError(error, 'conflict')) throw error;
          }
        }
      });

    const { client, client_id } = first;
    const since = Date.now();
    await client.movePointer({ id, action: 'navigate', url: site.url, takeover_id, client_id, input_seq: 1 });
    await until(() => site.touches.some(({ kind, at }) => kind === 'ready' && at >= since), 30_000);
    await client.movePointer({ id, action: 'click', ...places.field, takeover_id, client_id, input_seq: 2 });

    const sent = type(first, before + 1, before + 80);
    for (const one of sent) one.catch(() => undefined);
    await Promise.all(sent.slice(0, 4));
    first.close();
    // The page is loaded again while what it sent is on its way: the answers go nowhere.
    const reloaded = openWindow('a tab, loaded again', 1);
    const { takeover } = await reloaded.client.setTakeoverClient({ id, client_id: reloaded.client_id, takeover_id });
    const accepted = takeover.last_input_seq ?? assert.fail('the host did not say');
    assert.ok(accepted >= before + 20 && accepted <= before + 80, String(accepted));
    await Promise.all(type(reloaded, accepted + 1, before + 140));

    const second = openWindow('another tab', 0);
    const { takeover: moved } = await second.client.setTakeoverClient({ id, client_id: second.client_id });
    assert.equal(moved.last_input_seq, before + 140);
    const snapshot = (await second.client.getSession({ id })).snapshot;
    assert.equal(snapshot.takeover?.last_input_seq, before + 140);
    assert.equal(snapshot.takeover?.client_id, second.client_id);
    await assert.rejects(Promise.all(type(reloaded, before + 141, before + 141)), { code: 'takeover_conflict' });
    await Promise.all(type(second, before + 141, before + 200));

    const typed = () => site.touches.filter(({ kind }) => kind === 'field').map(({ value }) => value);
    await until(() => typed().includes(text), 30_000).catch(() => assert.equal(typed().at(-1), text));
    await second.client.resumeSessionTakeover({ id });
  });
});
