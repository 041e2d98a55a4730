import { spawnSync } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileCommand } from '@pilothouse/bus';
import type { Attack } from './attack.ts';
import { firstUidOf, type HostUser, hostId, hostUsers, withLoneHost } from './lone-host.ts';

const secret = 'the report of one user only';
const page = `<!doctype html><title>…</title><input type="file" aria-label="Report"
  onchange="this.files[0].text().then((text) => { document.title = text })">`;

/** Other users of the machine: those that have nothing to do with us, and another browser of the same host. */
const strangers = (user: HostUser) => (user === 'root' ? [65_533, firstUidOf() + 1] : [65_533]);

export const foreignUploads: Attack = {
  name: 'foreign-uploads',
  what: 'another user of the machine, or the browser of another session, reads a file that was uploaded',
  async run() {
    const reached: string[] = [];
    const broken: string[] = [];
    let tried = 0;

    async function attack(user: HostUser): Promise<void> {
      await withLoneHost(user, {}, async ({ agent, folder, open }) => {
        // The second is there to be the thief.
        const [session] = [await open(), await open()];
        await session.act({ action: 'navigate', url: `data:text/html,${encodeURIComponent(page)}` });
        const head = { type: 'put', epoch: 1, name: 'report.txt', offset: 0 } as const;
        const to = { host_id: hostId, session_id: session.sessionId };
        await agent.request(fileCommand, to, { head, body: Buffer.from(secret) }, { timeoutMs: 5000 });
        const step = { action: 'upload', target: 'Report', file: 'report.txt' } as const;
        const { acted } = await session.act(step);
        if (acted.after.title !== secret) broken.push(`host as ${user}: the page did not get its own file`);
        const files = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('/report.txt'));
        if (files.length === 0) throw new Error('the uploaded file is not where the attack looks for it');
        for (const file of files) {
          for (const uid of strangers(user)) {
            tried += 1;
            const { stdout } = readAs(uid, join(folder, file));
            if (stdout === secret)
              reached.push(`host as ${user}: user ${uid} read ${file.split('/').slice(-2).join('/')}`);
          }
        }
      });
    }

    // Only root can try it as another user.
    for (const user of hostUsers.filter(() => process.getuid?.() === 0)) await attack(user);
    return { tried, reached, broken };
  },
};

const readAs = (uid: number, path: string) =>
  spawnSync('setpriv', [`--reuid=${uid}`, `--regid=${uid}`, '--clear-groups', 'cat', path], { encoding: 'utf8' });
