// The users that browsers run as, one each. A user is handed on only when nothing of its last browser is left, so that
// no session ever meets a process of another.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { SettingsError } from '@pilothouse/process';

const clearMs = 3000;

export type Users = {
  /** A free user; undefined where browsers share ours. Throws when all are taken. */
  take(): number | undefined;
  /** Ends what is left of the user's processes, then frees it. One that cannot be cleared stays taken. */
  giveBack(uid: number | undefined): Promise<void>;
};

/** Users are claimed this many at a time. */
const blockSize = 64;

/**
 * Says to other hosts of this machine that these users are ours: two that shared one would end each other's browsers.
 * The claim is an address that only one process can hold, and that is free as soon as the process is gone.
 */
export async function claimUsers({ firstUid, count }: { firstUid: number | undefined; count: number }) {
  const claims: ReturnType<typeof createServer>[] = [];
  const close = () => {
    for (const claim of claims) claim.close();
  };
  if (firstUid === undefined) return { close };
  for (let block = Math.floor(firstUid / blockSize); block * blockSize < firstUid + count; block += 1) {
    const claim = createServer((socket) => socket.destroy()).listen(`\0pilothouse-users-${block}`);
    try {
      await once(claim, 'listening');
    } catch {
      close();
      throw new SettingsError([`CHROMIUM_FIRST_UID: another host on this machine has these users; choose others.`]);
    }
    claims.push(claim.unref());
  }
  return { close };
}

export function createUsers({ firstUid, count }: { firstUid: number | undefined; count: number }): Users {
  const taken = new Set<number>();
  return {
    take() {
      if (firstUid === undefined) return undefined;
      const uid = Array.from({ length: count }, (_, index) => firstUid + index).find((one) => !taken.has(one));
      if (uid === undefined) throw new Error('no user is free to run a browser as');
      taken.add(uid);
      return uid;
    },
    async giveBack(uid) {
      if (uid === undefined) return;
      await clear(uid);
      taken.delete(uid);
    },
  };
}

async function clear(uid: number): Promise<void> {
  const end = performance.now() + clearMs;
  while (await hasProcesses(uid)) {
    if (performance.now() > end) throw new Error(`processes of user ${uid} do not end`);
    await killAllOf(uid);
    await sleep(10);
  }
}

/** As that user itself, which reaches all of its processes at once and no others. */
function killAllOf(uid: number): Promise<void> {
  const user = [`--reuid=${uid}`, `--regid=${uid}`, '--clear-groups'];
  const child = spawn('setpriv', [...user, '/bin/sh', '-c', 'kill -KILL -1'], { stdio: 'ignore' });
  return new Promise((resolve) => {
    child.once('exit', () => resolve());
    // Then its processes are still there, which is what the caller looks at.
    child.once('error', () => resolve());
  });
}

/** Those that are dead and only waited for do not count: they can do nothing any more. */
async function hasProcesses(uid: number): Promise<boolean> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const states = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')));
  const owner = new RegExp(`^Uid:\\s+(\\d+\\s+)*${uid}\\s`, 'm');
  return states.some((state) => owner.test(state) && !/^State:\s+[ZX]/m.test(state));
}
