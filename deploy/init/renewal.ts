// Brings an installation to the files of this version. What the operator chose and everything secret stays; a file is complete or
// what it was.
import { chown, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import packageJson from '../../package.json' with { type: 'json' };
import { InitError, readCopied, requireRoot, settingsFor, writeSecret } from './installation.ts';
import { type KeptSecrets, makeSecrets } from './secrets.ts';

/** The names of the files that are other than before. */
export async function renewInstallation(folder: string): Promise<string[]> {
  requireRoot();
  const present = await readFile(join(folder, '.env'), 'utf8').catch(() => undefined);
  const kept = await readSecrets(join(folder, 'secrets'));
  if (present === undefined || Object.keys(kept).length === 0)
    throw new InitError('there is no installation in this folder (.env and secrets/); nothing was changed');
  const chosen = (name: string) => new RegExp(`^${name}=(.*)$`, 'm').exec(present)?.[1]?.trim();
  const isNonRoot = !(chosen('BROWSER_USER') ?? '0:0').startsWith('0');
  const fresh = settingsFor({ site: chosen('SITE_ADDRESS') ?? 'localhost', isNonRoot });
  const changed: string[] = [];

  // Secrets first: the compose file of this version may name some that were not there.
  for (const secret of await makeSecrets({ browserUid: isNonRoot ? 10_001 : 0, kept })) {
    if (kept[secret.name] === secret.text) continue;
    await replace(join(folder, 'secrets', secret.name), (path) => writeSecret(path, secret));
    changed.push(`secrets/${secret.name}`);
  }
  const { uid, gid } = await stat(folder);
  const write = (name: string, text: string) =>
    replace(join(folder, name), async (path) => {
      await writeFile(path, text, { flag: 'wx', mode: 0o644 });
      await chown(path, uid, gid);
    });
  const readPresent = (name: string) => readFile(join(folder, name), 'utf8').catch(() => undefined);
  for (const [name, text] of Object.entries(await readCopied())) {
    const former = await readPresent(name);
    if (former === text) continue;
    // Who changed it by hand finds it again.
    if (former !== undefined) await write(`${name}.former`, former);
    await write(name, text);
    changed.push(name);
  }
  for (const [name, text] of Object.entries(fresh)) {
    const former = (await readPresent(name)) ?? '';
    const merged = withNewSettings(former, text).replace(/^IMAGE_VERSION=.*$/m, `IMAGE_VERSION=${packageJson.version}`);
    if (merged === former) continue;
    await write(name, merged);
    changed.push(name);
  }
  return changed;
}

async function readSecrets(folder: string): Promise<KeptSecrets> {
  const names = await readdir(folder).catch(() => []);
  const texts = names.map(async (name) => [name, await readFile(join(folder, name), 'utf8')] as const);
  return Object.fromEntries(await Promise.all(texts));
}

async function replace(path: string, write: (path: string) => Promise<void>): Promise<void> {
  const beside = `${path}.new`;
  await rm(beside, { force: true });
  await write(beside);
  await rename(beside, path);
}

/** The lines of the operator as they are, and after them the settings that are new, with their comments. */
function withNewSettings(present: string, template: string): string {
  const isKnown = (name: string) => new RegExp(`^#? *${name}=`, 'm').test(present);
  const added: string[] = [];
  for (const block of template.split(/\n\n+/)) {
    const lines = block.trimEnd().split('\n');
    let comments: string[] = [];
    for (const [index, line] of lines.entries()) {
      const name = /^(\w+)=/.exec(line)?.[1];
      if (line.startsWith('#')) comments = lines[index - 1]?.startsWith('#') ? [...comments, line] : [line];
      else if (name && !isKnown(name)) {
        added.push(...comments, line);
        comments = [];
      }
    }
  }
  if (added.length === 0) return present;
  return `${present.trimEnd()}\n\n${added.join('\n')}\n`;
}
