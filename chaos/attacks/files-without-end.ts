import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Client } from '@pilothouse/sdk';
import type { Stack } from '../../testkit/stack/stack.ts';
import type { Attack } from './attack.ts';
import { cameTrue, endOf, startSite, withCrowd } from './crowd.ts';

const MIB = 1024 ** 2;
const quotaMib = 4;
/** A chat brings at most 150 KiB of files. */
const chatBytes = 149 * 1024;
const atOnce = 4;

/** Stores without end what costs the attacker nothing: files of chats that are cancelled at once, and downloads. */
export const filesWithoutEnd: Attack = {
  name: 'files-without-end',
  what: 'a user fills the disk with files of cancelled chats and with downloads',
  run: async ({ stackName, isSmall }) => {
    const downloadBytes = (isSmall ? 3 : 60) * MIB;
    const site = await startSite((request, response) => {
      if (request.url?.startsWith('/file')) {
        response.setHeader('content-disposition', 'attachment; filename="large.bin"');
        response.end(Buffer.alloc(downloadBytes));
      } else response.setHeader('content-type', 'text/html').end('<a href="/file">Large file</a>');
    });
    const settings = { QUOTA_FILE_MB_PER_USER: String(isSmall ? quotaMib : 100) };
    const quotaBytes = Number(settings.QUOTA_FILE_MB_PER_USER) * MIB;
    try {
      return await withCrowd(stackName, { sites: [site.url], settings }, async ({ stack, register }) => {
        const [attacker, downloader, other] = [
          await register('attacker'),
          await register('downloader'),
          await register('other'),
        ];
        const chats = Math.ceil((1.5 * quotaBytes) / chatBytes);
        const refused = await sendFiles(attacker, chats);
        const byChats = await bytesOfFiles(stack);
        const ends = await download(downloader, site.url, Math.ceil((1.5 * quotaBytes) / downloadBytes));
        const byDownloads = (await bytesOfFiles(stack)) - byChats;
        return {
          tried: chats + ends.length,
          reached: [
            ...(byChats > quotaBytes ? [`${mib(byChats)} of files of cancelled chats were stored`] : []),
            ...(byDownloads > quotaBytes ? [`${mib(byDownloads)} of downloads were stored`] : []),
          ],
          broken: await honest({ attacker, other, siteUrl: site.url, stack }),
          figures: {
            quota: mib(quotaBytes),
            chats,
            chats_refused: refused,
            stored_by_chats: mib(byChats),
            downloads: ends.length,
            downloads_failed: ends.filter(({ status }) => status === 'failed').map(({ last_error }) => last_error),
            stored_by_downloads: mib(byDownloads),
          },
        };
      });
    } finally {
      await site.close();
    }
  },
};

/** Answers how many were refused. */
async function sendFiles(client: Client, chats: number): Promise<number> {
  const { session } = await client.createSession();
  const files = [{ name: 'a.bin', content_base64: Buffer.alloc(chatBytes).toString('base64') }];
  let refused = 0;
  for (let sent = 0; sent < chats; sent += atOnce) {
    const some = Array.from({ length: Math.min(atOnce, chats - sent) }, async () => {
      try {
        const { task_id } = await client.sendChat({ prompt: 'wait 60 s', session_id: session.id, files });
        await client.cancelTask({ id: task_id });
      } catch {
        refused += 1;
      }
    });
    await Promise.all(some);
  }
  await client.deleteSession({ id: session.id });
  return refused;
}

async function download(client: Client, siteUrl: string, times: number) {
  const { session } = await client.createSession();
  const ends = [];
  for (let time = 0; time < times; time += 1) {
    const prompt = `open ${siteUrl}/\ndownload "Large file"`;
    const { task_id } = await client.sendChat({ prompt, session_id: session.id });
    ends.push(await endOf(client, task_id, 60_000));
  }
  return ends;
}

/** Another user stores what they may, and so does the attacker once they have made room. */
async function honest(of: { attacker: Client; other: Client; siteUrl: string; stack: Stack }): Promise<string[]> {
  const { attacker, other, siteUrl, stack } = of;
  const broken: string[] = [];
  const files = [{ name: 'note.txt', content_base64: Buffer.from('a note').toString('base64') }];
  const given = await other.sendChat({ prompt: 'wait 1 ms', files }).catch((error) => String(error));
  if (typeof given === 'string') broken.push(`another user may not give a file: ${given}`);
  const { task_id } = await other.sendChat({ prompt: `open ${siteUrl}/\ndownload "Large file"` });
  const { status, last_error } = await endOf(other, task_id, 60_000);
  if (status !== 'success') broken.push(`another user cannot download: ${last_error}`);
  const { sessions } = await attacker.listSessions({ status: 'closed' });
  const before = await bytesOfFiles(stack);
  for (const { id } of sessions) await attacker.deleteSession({ id, purge: true });
  if (!(await cameTrue(async () => (await bytesOfFiles(stack)) < before, 5000))) broken.push('a purge frees nothing');
  const again = await attacker.sendChat({ prompt: 'wait 1 ms', files }).catch((error) => String(error));
  if (typeof again === 'string') broken.push(`after a purge the user may still not give a file: ${again}`);
  return broken;
}

/** The bytes on the disk, with or without a row that points to them. */
async function bytesOfFiles({ services }: Stack): Promise<number> {
  const dir = join(services.place.dir, 'blobs');
  const names = await readdir(dir, { recursive: true });
  const sizes = names
    .filter((name) => name.includes('/files/'))
    .map((name) =>
      stat(join(dir, name)).then(
        ({ size }) => size,
        () => 0,
      ),
    );
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

const mib = (bytes: number) => `${(bytes / MIB).toFixed(1)} MB`;
