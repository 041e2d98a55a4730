// The feed of the inbox of this tab. All tabs get it over one connection.

import { createInboxFeed } from './inbox-feed.ts';
import { client } from './login.ts';

export const inboxFeed = createInboxFeed({ follow: (cursor, options) => client.followInbox({ cursor }, options) });
