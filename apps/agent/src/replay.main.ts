// npm run replay -- TASK_ID: says at which call the requests for a task would be others with the present code. Needs the database and the
// blobs; asks no model.

import { isId } from '@pilothouse/contract';
import { addressOf, blobPlaceOf, blobSettings, openOrRefuse, readSettings, SettingsError } from '@pilothouse/process';
import { openBlobs, openStore } from '@pilothouse/store';
import { z } from 'zod';
import { replay } from './planner/replay.ts';

const settings = z.object({ DATABASE_URL: addressOf('postgresql:', 'postgres:'), ...blobSettings });

process.exitCode = await main(process.argv[2]);

async function main(id = ''): Promise<number> {
  if (!isId(id)) return say('usage: npm run replay -- TASK_ID', 2);
  try {
    const { DATABASE_URL: url, ...given } = readSettings(settings, process.env);
    const blobs = await openOrRefuse(() => openBlobs(blobPlaceOf(given)));
    const store = openStore({ url, blobs, poolSize: 6, onError: () => {} });
    try {
      const task = await store.tasks.byId(id);
      if (!task) return say('there is no such task', 1);
      const { lines, differs, same } = await replay(store, task);
      console.log(lines.join('\n'));
      if (differs !== undefined) return say(`from call ${differs} on, the model would be asked something else`, 1);
      console.log(same > 0 ? `all ${same} kept requests are the same` : 'no call of this task was kept');
      return 0;
    } finally {
      await store.close();
    }
  } catch (error) {
    return say(
      error instanceof SettingsError ? error.message : `failed: ${error}`,
      error instanceof SettingsError ? 2 : 1,
    );
  }
}

function say(message: string, exitCode: number): number {
  console.error(message);
  return exitCode;
}
