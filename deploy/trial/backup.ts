// Backs an installation up with the commands of its guide, destroys it, and restores it with the others.
import assert from 'node:assert/strict';
import { setDefaultCACertificates } from 'node:tls';
import type { Client } from '@pilothouse/sdk';
import { docBlock } from '../../testkit/doc-blocks.ts';
import { type Installation, readAuthority, siteUrl } from './installation.ts';
import { runScript } from './person.ts';

type Step = <T>(name: string, work: () => Promise<T>) => Promise<T>;

export async function backUpAndRestore(installation: Installation, client: Client, step: Step): Promise<void> {
  const { compose, shell } = installation;
  const { sessionId } = await runScript(client, siteUrl, 'anchor');
  const remembered = async () => {
    const { snapshot } = await client.getSession({ id: sessionId });
    const { username } = await client.getMe({});
    return { username, title: snapshot.session.title, picture: snapshot.last_frame?.screenshot_base64 };
  };
  const before = await remembered();
  assert.ok(before.picture);
  await step('it is backed up while it works', () =>
    shell(docBlock('docs/operate/compose.md', 'mkdir -p backup').code),
  );
  await step('all of it is destroyed', () => compose(['down', '--volumes']));
  await step('it is restored', () =>
    shell(docBlock('docs/operate/compose.md', 'docker compose up --detach --wait postgres').code),
  );
  // The proxy has another authority: its own are in no backup.
  setDefaultCACertificates([await readAuthority(installation)]);
  await step('people, sessions and pictures are there', async () => assert.deepEqual(await remembered(), before));
  await client.deleteSession({ id: sessionId });
}
