// Purges a closed session.

import { isTerminal } from '@pilothouse/contract';
import type { Tx } from '../db/db.ts';
import type { Append } from '../sessions/change.ts';
import { progressOf } from '../views/progress.ts';
import { purgeTypedText } from './purge-typed-text.ts';

export function createPurge() {
  return {
    /**
     * Removes what was seen, said and typed in a session: events, logs, answers, messages, observations, takeovers, all pictures
     * and the browser's state. The rows of session and tasks stay, with plan, ledger and result, and hold no typed
     * text. The end of each ended task is logged again, so that streams of it end. For a closed session; remove the
     * blobs after the commit.
     */
    async session(tx: Tx, append: Append, sessionId: string): Promise<void> {
      // What this change has appended before is purged too.
      await append.flush();
      const { client } = tx;
      await client.query('delete from events where session_id = $1', [sessionId]);
      await client.query('delete from logs l using tasks t where t.id = l.task_id and t.session_id = $1', [sessionId]);
      await client.query('delete from task_messages m using tasks t where t.id = m.task_id and t.session_id = $1', [
        sessionId,
      ]);
      // They hold what was typed, and what pages said.
      await client.query('delete from approvals a using tasks t where t.id = a.task_id and t.session_id = $1', [
        sessionId,
      ]);
      await client.query('delete from observations o using tasks t where t.id = o.task_id and t.session_id = $1', [
        sessionId,
      ]);
      // Their bytes count against the quota until they are removed.
      await client.query(
        `update files f set retention = 'leaving' from tasks t
         where t.id = f.task_id and t.session_id = $1 and f.retention = 'kept'`,
        [sessionId],
      );
      await client.query('delete from frames where session_id = $1', [sessionId]);
      await client.query('delete from takeovers where session_id = $1', [sessionId]);
      await client.query('delete from pointers where session_id = $1', [sessionId]);
      await client.query('delete from recorded_frames where session_id = $1', [sessionId]);
      await client.query('delete from recorders where session_id = $1', [sessionId]);
      await client.query('update session_seq set first_seq = last_seq + 1 where session_id = $1', [sessionId]);
      // Under a new epoch and at no host: a state that its host sends after this is not saved.
      await client.query(
        `update browsers set state = null, sealed_state = null, key_id = null,
           host_id = null, boot_id = null, epoch = epoch + 1
         where session_id = $1`,
        [sessionId],
      );
      for (const task of await purgeTypedText(tx, sessionId)) {
        if (isTerminal(task.status))
          await append({ taskId: task.id, kind: 'status', data: { status: progressOf(task) } });
      }
    },
  };
}

/** The folder of the blobs of a session. */
export const blobsOf = (sessionId: string): string => `sessions/${sessionId}`;
