// The script that starts one Chromium behind its walls. It replaces itself by Chromium: the pipes that drive it (3 and 4)
// stay, and so do its process id and the group of its processes.

import { chmod, chown, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { browserNice } from '../limits/priority.ts';
import { filterCommand, seccompFilter } from './seccomp.ts';

export type LauncherOptions = {
  /** The program of Chromium. */
  path: string;
  /** The session's folder. */
  folder: string;
  /** The user that it becomes; undefined where that is our own. */
  uid: number | undefined;
  /** Gives it a view of its own processes only. */
  hidesProcesses: boolean;
};

export async function writeLauncher({ path, folder, uid, hidesProcesses }: LauncherOptions): Promise<string> {
  const home = join(folder, 'home');
  await mkdir(home, { mode: 0o700 });
  const downloads = join(home, 'downloads');
  await mkdir(downloads, { mode: 0o700 });
  if (uid !== undefined) {
    await chown(home, uid, uid);
    await chown(downloads, uid, uid);
    // Passable for that user, and nothing in it but its home is theirs.
    await chmod(folder, 0o711);
  }
  const launcher = join(folder, 'launch');
  // Where the kernel groups processes by their terminal session it weighs the groups, elsewhere the processes.
  await writeFile(
    launcher,
    `#!/bin/sh
{ echo ${browserNice} >/proc/$$/autogroup; } 2>/dev/null
exec nice -n ${browserNice} ${wallsOf({ uid, hidesProcesses })} env HOME='${home}' TMPDIR='${home}' '${path}' "$@"
`,
    { mode: 0o755 },
  );
  return launcher;
}

/** Commands that each put up one wall and run the next. */
export function wallsOf({ uid, hidesProcesses }: Pick<LauncherOptions, 'uid' | 'hidesProcesses'>): string {
  const user = `--reuid=${uid} --regid=${uid} --clear-groups --bounding-set=-all --inh-caps=-all --reset-env`;
  // Chromium ends by itself when we are gone and the pipe closes; the signal is for one that hangs.
  const limits = `setpriv --pdeathsig=KILL --no-new-privs ${uid === undefined ? '' : user}`;
  const filter = seccompFilter();
  return [limits, hidesProcesses ? hideProcesses : '', filter ? filterCommand(filter) : ''].filter(Boolean).join(' ');
}

/**
 * Among processes that it cannot see: it can neither read their memory nor send them signals. What it leaves behind ends
 * with the first of its own. The filter follows, since it refuses the mount that this needs.
 */
const hideProcesses = 'unshare --user --map-current-user --pid --fork --kill-child=KILL --mount-proc';
