import { createClient } from '@pilothouse/sdk';
import type { Attack } from './attack.ts';
import { withOpenStack } from './open-stack.ts';

export const guestLooksBack: Attack = {
  name: 'guest-looks-back',
  what: 'a guest follows a shared session from the beginning of its log, long before it was shared',
  sharing: 'beside others',
  run: (size) =>
    withOpenStack(size, async ({ baseUrl }) => {
      const client = createClient({ baseUrl });
      const { session } = await client.createSession();
      const newTask = async () => {
        // It is cancelled at once: that it was made and ended is in the log.
        const steps = [{ action: 'wait' as const, for: { secs: 60 } }];
        const { task_id } = await client.sendChat({ prompt: 'x', steps, session_id: session.id });
        await client.cancelTask({ id: task_id });
        return task_id;
      };
      const before = [await newTask(), await newTask()];
      const { share } = await client.shareSession({ id: session.id });
      const after = await newTask();
      const reached: string[] = [];
      const broken: string[] = [];
      const paths = [
        `/api/sessions/${session.id}/live?cursor=0`,
        `/api/streams?stream=live:${session.id}@0`,
        `/api/streams?stream=live:${session.id}~a@1`,
      ];
      for (const path of paths) {
        const text = await readUntil(baseUrl + path, { 'x-share-token': share.share_token }, after);
        const seen = before.filter((id) => text.includes(id)).length;
        if (seen > 0) reached.push(`${seen} tasks of before the share are in ${path.replace(session.id, ':id')}`);
        if (!text.includes(after))
          broken.push(`what came after the share is not in ${path.replace(session.id, ':id')}`);
      }
      const own = await readUntil(`${baseUrl}/api/sessions/${session.id}/live?cursor=0`, {}, after);
      if (!before.every((id) => own.includes(id))) broken.push('the owner cannot look back');
      return { tried: paths.length, reached, broken };
    }),
};

/** What a stream says until a word is in it, for five seconds at most. */
async function readUntil(url: string, headers: Record<string, string>, word: string): Promise<string> {
  let text = '';
  try {
    const { body } = await fetch(url, { headers, signal: AbortSignal.timeout(5000) });
    for await (const piece of body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += piece;
      if (text.includes(word)) break;
    }
  } catch (error) {
    if (!(error instanceof DOMException)) throw error;
  }
  return text;
}
