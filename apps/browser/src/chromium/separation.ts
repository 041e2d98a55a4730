// What stands between the processes of a browser and those of this host, which hold its password for the bus and drive
// the browsers of other sessions. Chromium's own sandbox comes before it: this is for what breaks out of that.

import { spawn } from 'node:child_process';
import { wallsOf } from './launcher.ts';

const tryMs = 10_000;

/**
 * `user`: each browser has a user of its own, which only root can arrange. `namespace`: it has our user, and sees no
 * processes but its own. `none`: it has our user, and sees us.
 */
export type Separation = 'user' | 'namespace' | 'none';

export async function findSeparation({ firstUid }: { firstUid: number | undefined }): Promise<Separation> {
  if (firstUid !== undefined) return 'user';
  return (await canHideProcesses()) ? 'namespace' : 'none';
}

/** Systems forbid it in many ways, so it is tried: with everything that a browser is started with, and a program that ends. */
function canHideProcesses(): Promise<boolean> {
  const command = `exec ${wallsOf({ uid: undefined, hidesProcesses: true })} /bin/sh -c 'exit 0'`;
  const child = spawn('/bin/sh', ['-c', command], { stdio: 'ignore', timeout: tryMs, killSignal: 'SIGKILL' });
  return new Promise((resolve) => {
    child.once('exit', (code) => resolve(code === 0));
    child.once('error', () => resolve(false));
  });
}

/** What the operator of the host should know of it. */
export const separationNotices: Record<Separation, string[]> = {
  user: [],
  namespace: [
    'this host is not root, so its browsers run as its own user: they see none of its processes, but a browser that ' +
      'breaks out of its sandbox can read the files of this user, also those of other sessions',
  ],
  none: [
    'this host is not root and this system does not let it hide processes, so its browsers run as its own user and see ' +
      'its processes: a browser that breaks out of its sandbox can read the password of this host and every other ' +
      'session of it. Run the host as root, or allow user namespaces with a /proc of their own',
  ],
};
