import { isTerminal } from '@pilothouse/contract';
import type { Append } from './change.ts';
import type { Tx } from './db.ts';
import { progressOf } from './progress.ts';

export function createPurge() {
  return {
    /**
     * Forgets what was seen and said in a session: events, logs, answers, observations, who drove, all pictures and
     * the browser's state. The rows of session and tasks stay, with prompt, plan, ledger and result, for whoever asked for
     * them. Each ended task says its end anew, so that whoever follows it learns that it is over. For a closed session;
     * remove the blobs after the commit.
     */
    async session(tx: Tx, append: Append, sessionId: string): Promise<void> {
      const { client } = tx;
      await client.query('delete from events where session_id = $1', [sessionId]);
      await client.query('delete from logs l using tasks t where t.id = l.task_id and t.session_id = $1', [sessionId]);
      // A one-time code is an answer too.
      await client.query(`update tasks set answers = '[]' where session_id = $1 and answers <> '[]'`, [sessionId]);
      await client.query('delete from observations o using tasks t where t.id = o.task_id and t.session_id = $1', [
        sessionId,
      ]);
      await client.query('delete from frames where session_id = $1', [sessionId]);
      await client.query('delete from takeovers where session_id = $1', [sessionId]);
      await client.query('delete from pointers where session_id = $1', [sessionId]);
      await client.query('delete from recorded_frames where session_id = $1', [sessionId]);
      await client.query('delete from recorders where session_id = $1', [sessionId]);
      await client.query('update session_seq set frame_bytes = 0 where session_id = $1', [sessionId]);
      // Under a new epoch and at no host: what one that holds it, or has just been told to close it, hands over after
      // this is not kept.
      await client.query(
        `update browsers set state = null, sealed_state = null, key_id = null,
           host_id = null, boot_id = null, epoch = epoch + 1
         where session_id = $1`,
        [sessionId],
      );
      const tasks = await tx.db
        .selectFrom('tasks')
        .selectAll()
        .where('session_id', '=', sessionId)
        .orderBy('created_at')
        .execute();
      for (const task of tasks) {
        if (isTerminal(task.status))
          await append({ taskId: task.id, kind: 'status', data: { status: progressOf(task) } });
      }
    },
  };
}

/** The folder of the blobs of a session. */
export const blobsOf = (sessionId: string): string => `sessions/${sessionId}`;
