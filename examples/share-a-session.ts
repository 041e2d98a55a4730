// Lets somebody without a login watch one session, and nothing else.
import { createClient, isApiError, runTask } from '@pilothouse/sdk';
import { shopUrl, token, url } from './settings.ts';

const client = createClient({ baseUrl: url, token });
const { session } = await client.createSession({ title: 'Watched by a guest' });
const { share } = await client.shareSession({ id: session.id, expires_in_secs: 600 });
console.log(`send this link: ${new URL(share.share_page_path ?? share.share_path, url).href.replace(/#.*/, '#…')}`);

const guest = createClient({ baseUrl: url, shareToken: share.share_token });
const run = await runTask(client, { prompt: `open ${shopUrl}`, session_id: session.id });
for await (const event of guest.followSession({ id: session.id })) {
  if (event.type !== 'frame') continue;
  console.log(`the guest sees a picture of ${event.frame.width} x ${event.frame.height}`);
  break;
}
await run.finished();
await guest.listSessions().catch((error) => {
  if (isApiError(error, 'token_missing')) console.log('and nothing else');
  else throw error;
});
await client.unshareSession({ id: session.id });
await client.deleteSession({ id: session.id });
