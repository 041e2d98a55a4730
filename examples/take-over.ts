// Drives the browser of a session as a person does, and hands it back.
import { createClient, takeOver } from '@pilothouse/sdk';
import { shopUrl, token, url } from './settings.ts';

const client = createClient({ baseUrl: url, token });
const { session } = await client.createSession({ title: 'Driven by a program' });

const driving = await takeOver(client, { session_id: session.id, reason: 'show how it is done' });
console.log(`drives: ${driving.takeover.status}`);
await driving.input({ action: 'navigate', url: `${shopUrl}?q=kettle` });
await driving.input({ action: 'key', key: 'Tab' }, { action: 'key', key: 'Tab' }, { action: 'type', text: 'rope' });
await driving.input({ action: 'key', key: 'Enter' });
await driving.handBack('searched for rope');

const { snapshot } = await client.getSession({ id: session.id });
console.log(`handed back: ${snapshot.takeover?.status ?? 'nobody drives'}`);
await client.deleteSession({ id: session.id });
