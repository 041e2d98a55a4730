import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { LiveEvent } from '@pilothouse/contract';
import { createClient } from '@pilothouse/sdk';
import pg from 'pg';
import { openInstallation } from '../testkit/installation.ts';
import { fieldAt, heading, rows, sendAt, startPasswordPages } from '../testkit/pages/passwords.ts';
import { createPictureReader } from '../testkit/picture-reader.ts';

/** Words that no page and no program of ours says, and that are easily read off a picture. */
const canaries = Array.from({ length: 4 * rows }, (_, index) => `TOUCAN ${610_000 + index * 4637}`);

/** Their number alone counts: letters are easily misread. */
const found = (text: string) => canaries.filter((canary) => text.includes(canary) || text.includes(canary.slice(7)));

async function filesUnder(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

it('keeps nothing of what a person types, and shows it to nobody else', async () => {
  const passwordPages = await startPasswordPages();
  const installation = await openInstallation('canary', { agents: 2, sites: [passwordPages.url] });
  const reader = await createPictureReader();
  const ended = new AbortController();
  const watching: Promise<void>[] = [];
  try {
    const { client } = installation;
    const { session } = await client.createSession({ record: true });
    const { id } = session;
    const { share } = await client.shareSession({ id });
    const guest = createClient({ baseUrl: installation.baseUrl, shareToken: share.share_token });
    const seen: { driver: LiveEvent[]; guest: LiveEvent[] } = { driver: [], guest: [] };
    const watch = async (one: typeof client, events: LiveEvent[]) => {
      for await (const event of one.followSession({ id }, { signal: ended.signal })) events.push(event);
    };
    watching.push(watch(client, seen.driver), watch(guest, seen.guest));
    const framesOf = (who: keyof typeof seen) =>
      seen[who].flatMap((event) => (event.type === 'frame' ? event.frame : []));

    const { task_id } = await client.sendChat({
      prompt: 'work',
      session_id: id,
      steps: [
        { action: 'navigate', url: passwordPages.url },
        { action: 'ask', question: 'Who are you?' },
        { action: 'click', target: 'Work' },
        { action: 'wait', for: { secs: 2 } },
        { action: 'screenshot' },
        { action: 'extract', kind: 'text', as: 'all' },
      ],
    });
    const until = async (what: string, isSo: () => Promise<boolean> | boolean) => {
      const late = AbortSignal.timeout(30_000);
      while (!(await isSo())) await sleep(50, undefined, { signal: late }).catch(() => assert.fail(`not ${what}`));
    };
    const statusOf = async () => (await client.getTaskStatus({ id: task_id })).status;
    await until('asking', async () => (await statusOf()).status === 'awaiting_user');
    await until('seen', () => framesOf('guest').length > 0);
    const { takeover } = await client.requestTakeover({ id: task_id });
    await until('active', async () => (await statusOf()).takeover?.status === 'active');

    let seq = 0;
    const give = (...actions: object[]) => {
      const numbered = actions.map((action) => {
        seq += 1;
        return { ...action, takeover_id: takeover.takeover_id, input_seq: seq };
      });
      // What each is, the contract checks.
      return client.movePointer({ id, actions: numbered as never });
    };
    for (const [index, text] of canaries.entries()) {
      const isPassword = index % 2 === 1;
      await give({ action: 'click', ...fieldAt(Math.floor(index / 2) % rows, isPassword) });
      // By keys, at once, and out of a clipboard.
      if (index % 3 === 0) for (const letter of text) await give({ action: 'type', text: letter });
      else await give({ action: index % 3 === 1 ? 'type' : 'paste', text });
      await sleep(150);
      if (index !== canaries.length / 2 - 1) continue;
      await give({ action: 'click', ...sendAt });
      await until('sent', () => passwordPages.forms.length === 1);
      await sleep(500);
    }
    const sent = [...(passwordPages.forms[0]?.values() ?? [])];
    assert.deepEqual(sent.toSorted(), canaries.slice(0, canaries.length / 2).toSorted(), 'all arrived');
    // The second half stays where it was written.
    await client.resumeTakeover({ id: task_id, note: 'done' });
    await until('asking again', async () => (await statusOf()).status === 'awaiting_user');
    await client.signalTakeover({ id: task_id, answer: 'a person' });
    await until('over', async () => (await statusOf()).status === 'success');
    await sleep(1500);

    // Whoever drives sees what they do, so that what follows can be read at all.
    const driven = framesOf('driver').filter((frame) => frame.private_reason === 'driven');
    const ofDriver = await Promise.all(
      driven.slice(-3).map(({ screenshot_base64 }) => reader.read(Buffer.from(screenshot_base64, 'base64'))),
    );
    assert.ok(
      ofDriver.some((text) => found(text).length > 0),
      `the driver's own frames: ${JSON.stringify(ofDriver)}`,
    );

    const texts: Record<string, string> = {};
    const pictures: Record<string, Buffer[]> = { guest: [], blobs: [], after: [], owner: [] };
    // The person left the focus in a password: then the owner sees the page with dots, and nobody else does.
    for (const { private_reason, screenshot_base64 } of framesOf('driver'))
      if (private_reason === 'secret_field') pictures.owner?.push(Buffer.from(screenshot_base64, 'base64'));
    pictures.guest?.push(...framesOf('guest').map(({ screenshot_base64 }) => Buffer.from(screenshot_base64, 'base64')));
    const lastOfDriver = framesOf('driver').at(-1);
    assert.equal(lastOfDriver?.private, false, 'what is seen in the end is for everybody');
    pictures.after?.push(Buffer.from(lastOfDriver?.screenshot_base64 ?? '', 'base64'));
    texts.guest = JSON.stringify(seen.guest);
    texts.events = JSON.stringify(seen.driver.filter(({ type }) => type !== 'frame' && type !== 'snapshot'));
    for (const file of await filesUnder(installation.stack.services.place.dir)) {
      if (file.includes('/blobs/')) {
        const bytes = await readFile(file);
        if (bytes.toString('hex', 0, 2) === 'ffd8' || bytes.toString('latin1', 1, 4) === 'PNG')
          pictures.blobs?.push(bytes);
        texts.blobs = (texts.blobs ?? '') + bytes.toString('latin1');
      } else texts.files = (texts.files ?? '') + (await readFile(file)).toString('latin1');
    }
    const database = new pg.Client(installation.stack.services.databaseUrl());
    await database.connect();
    const { rows: tables } = await database.query<{ schema: string; name: string }>(
      `select table_schema as schema, table_name as name from information_schema.tables
       where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`,
    );
    for (const { schema, name } of tables) {
      const { rows: kept } = await database.query(`select t::text as row from "${schema}"."${name}" t`);
      texts[`table ${schema}.${name}`] = kept.map(({ row }) => row).join('\n');
    }
    await database.end();
    const recording = await client.getRecording({ id, limit: 200 });
    texts.recording = JSON.stringify(recording);
    texts.detail = JSON.stringify([
      await client.listLogs({ id: task_id, limit: 200 }),
      await client.listObservations({ id: task_id }),
      await client.getMessageState({ id: task_id }),
      (await guest.getSession({ id })).snapshot.overlays,
    ]);

    for (const [where, text] of Object.entries(texts)) assert.deepEqual(found(text), [], where);
    let shown = 0;
    for (const [where, images] of Object.entries(pictures)) {
      assert.ok(images.length > 0, where);
      for (const image of images) {
        const text = await reader.read(image);
        assert.deepEqual(found(text), [], `a picture of ${where}`);
        if (text.includes(heading.slice(8))) shown += 1;
      }
    }
    assert.ok(shown > 3, 'what is for everybody can be read in pictures');
    console.log(
      `secrets: ${canaries.length}, pictures read: ${reader.count()}, places searched: ${Object.keys(texts).length}`,
    );
  } finally {
    ended.abort();
    await Promise.allSettled(watching);
    await reader.close();
    await installation.close();
    await passwordPages.close();
  }
});
