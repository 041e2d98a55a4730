// Starts an installation as its operator would, uses it as a person would, breaks it part by part, and takes it down.
import assert from 'node:assert/strict';
import { setDefaultCACertificates } from 'node:tls';
import type { Client } from '@pilothouse/sdk';
import packageJson from '../../package.json' with { type: 'json' };
import { imageOf, type Target, targets } from '../images/targets.ts';
import { profilePath, readProfile } from '../seccomp/make.ts';
import { withSandboxCalls } from '../seccomp/profile.ts';
import { backUpAndRestore } from './backup.ts';
import type { Engine } from './engine.ts';
import {
  findInvite,
  type Installation,
  killAndAwait,
  makeInstallation,
  readAuthority,
  siteUrl,
  start,
} from './installation.ts';
import { driveAndReturn, readConsole, register, runScript } from './person.ts';
import { checkChromium, checkProcesses, probeNetworks } from './probes.ts';
import { checkRefusals } from './refusals.ts';
import { scaleHosts } from './scale.ts';

/** Each part that has to come back by itself. */
const parts = ['server', 'agent', 'browser', 'nats', 'postgres', 'proxy'];
const backMs = 60_000;

/** Does one step of the trial, and says how long it took. */
async function step<T>(name: string, work: () => Promise<T>): Promise<T> {
  const started = performance.now();
  const result = await work();
  console.log(`images: ${name} (${((performance.now() - started) / 1000).toFixed(1)} s)`);
  return result;
}

export type Extent = 'whole' | 'short';

/** The short trial leaves out what does not depend on the engine: a backup, a folder that is renewed, more hosts and fewer. */
export async function runInstallation(
  engine: Engine,
  options: { work: string; profile: string; extent: Extent },
): Promise<void> {
  await step('every image says what is in it', () => checkContents(engine));
  await step("the profile in the repository is the newest engine's and three calls", async () =>
    assert.deepEqual(await readProfile(profilePath), withSandboxCalls(await readProfile(options.profile))),
  );
  const installation = await step('init', () => makeInstallation(engine, options.work));
  try {
    await step('everything is up', () => start(installation));
    const client = await step('the first administrator registers by the link', async () => {
      setDefaultCACertificates([await readAuthority(installation)]);
      return register(await findInvite(installation));
    });
    await use(installation, client);
    if (options.extent === 'whole') await operate(installation, client);
    await breakParts(installation, client);
  } catch (error) {
    console.error((await installation.compose(['logs', '--no-color', '--tail=25'])).slice(-20_000));
    throw error;
  }
  await step('hosts refuse to start without their sandbox', () => checkRefusals(engine, options));
  await step('everything is down, and nothing is left', () => takeDown(engine, installation));
}

async function use(installation: Installation, client: Client): Promise<void> {
  await step('the console is served', readConsole);
  const { sessionId } = await step('a task succeeds', () => runScript(client, siteUrl, 'lantern'));
  await step('every process of Chromium is held', async () => {
    const count = await checkChromium(installation);
    console.log(`images: looked at ${count} processes of Chromium`);
    await checkProcesses(installation);
  });
  await step('a person drives and hands back', () => driveAndReturn(client, sessionId, siteUrl));
  await client.deleteSession({ id: sessionId });
  await step('nobody reaches what is not theirs', async () => {
    console.log(`images: tried ${await probeNetworks(installation)} ways`);
  });
}

async function operate(installation: Installation, client: Client): Promise<void> {
  await backUpAndRestore(installation, client, step);
  await step('it is renewed, and a task succeeds', async () => {
    await installation.renew();
    await installation.compose(['up', '--detach', '--wait', '--wait-timeout', '150', '--force-recreate']);
    const { sessionId } = await runScript(client, siteUrl, 'renewed');
    await client.deleteSession({ id: sessionId });
  });
  await scaleHosts(installation, client, step);
}

async function breakParts(installation: Installation, client: Client): Promise<void> {
  for (const part of parts)
    await step(`${part} comes back after kill -9, and a task succeeds`, async () => {
      await killAndAwait(installation, part, backMs);
      const { sessionId } = await runScript(client, siteUrl, part.replace(/\W/g, ''));
      await client.deleteSession({ id: sessionId });
    });
}

/** Lists of packages, and who has what: a browser host has no database client, a server no browser. */
async function checkContents({ docker }: Engine): Promise<void> {
  const holds: Record<Target, { has: string[]; lacks: string[] }> = {
    server: { has: ['fastify', 'pg', 'zod'], lacks: ['playwright-core', 'ai', 'vite', 'typescript'] },
    agent: { has: ['ai', 'pg', 'zod'], lacks: ['playwright-core', 'fastify', 'typescript'] },
    browser: { has: ['playwright-core', 'zod'], lacks: ['pg', 'kysely', 'fastify', 'ai', 'typescript'] },
    migrate: { has: ['pg'], lacks: ['fastify', 'playwright-core', 'typescript'] },
    init: { has: ['@nats-io/transport-node'], lacks: ['pg', 'fastify', 'playwright-core', 'typescript'] },
  };
  for (const target of targets) {
    const image = imageOf(target, packageJson.version);
    const read = (file: string) =>
      docker(['run', '--rm', '--network=none', '--entrypoint=cat', image, `/usr/share/pilothouse/${file}`]);
    const { components } = JSON.parse(await read('sbom.npm.json')) as { components: { name: string }[] };
    const names = new Set(components.map(({ name }) => name));
    for (const name of holds[target].has) assert.ok(names.has(name), `${target} has no ${name}`);
    for (const name of holds[target].lacks) assert.ok(!names.has(name), `${target} has ${name}`);
    const debian = await read('sbom.debian.txt');
    assert.match(debian, /^libc6(:\w+)?\t/m);
    assert.equal(/^chromium-headless-shell\t/m.test(debian), target === 'browser', `Chromium in ${target}`);
  }
}

async function takeDown({ docker }: Engine, { compose }: Installation): Promise<void> {
  await compose(['stop'], { timeoutMs: 120_000 });
  const codes = await compose(['ps', '--all', '--format={{.Service}} {{.ExitCode}}']);
  // 2 is how PostgreSQL of the stand-in, and Caddy, say that they were told to.
  for (const service of ['server', 'agent', 'browser', 'postgres'])
    assert.match(codes, new RegExp(`^${service} 0$`, 'm'), codes);
  await compose(['down', '--volumes', '--remove-orphans']);
  assert.equal(await docker(['ps', '--all', '--quiet']), '');
  assert.equal(await docker(['volume', 'ls', '--quiet']), '');
  const networks = await docker(['network', 'ls', '--format={{.Name}}']);
  assert.deepEqual(networks.trim().split('\n').toSorted(), ['bridge', 'host', 'none']);
}
