// Writes everything that the compose file needs into a folder. It never overwrites a file, and a folder that it could not
// finish has nothing of it.
import { existsSync } from 'node:fs';
import { chmod, chown, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import packageJson from '../../package.json' with { type: 'json' };
import { makeSecrets, type Secret } from './secrets.ts';

export type InstallationOptions = {
  folder: string;
  /** The name under which people reach it. */
  site: string;
  /** Whether browser hosts run without root, and so without a user for each session. */
  isNonRoot: boolean;
};

const here = resolve(import.meta.dirname, '..');
/** Files that are the same for every installation, and what they are called in it. */
const copied: Record<string, string> = {
  'compose.yaml': join(here, 'compose.yaml'),
  Caddyfile: join(here, 'Caddyfile'),
  'postgres.sh': join(here, 'postgres.sh'),
  'seccomp.json': join(here, 'seccomp/browser.json'),
};

export class InitError extends Error {}

export async function writeInstallation({ folder, site, isNonRoot }: InstallationOptions): Promise<void> {
  if (!/^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/.test(site)) throw new InitError(`${site} is not the name of a host`);
  requireRoot();
  const plain: Record<string, string> = { ...(await readCopied()), ...settingsFor({ site, isNonRoot }) };
  const present = [...Object.keys(plain), 'secrets'].filter((name) => existsSync(join(folder, name)));
  if (present.length > 0)
    throw new InitError(`there is an installation in this folder already (${present.join(', ')}); nothing was changed`);
  await mkdir(folder, { recursive: true });
  const secrets = await makeSecrets({ browserUid: isNonRoot ? 10_001 : 0 });
  try {
    await writeSecrets(join(folder, 'secrets'), secrets);
    // The owner of the folder edits these.
    const { uid, gid } = await stat(folder);
    for (const [name, text] of Object.entries(plain)) {
      await writeFile(join(folder, name), text, { flag: 'wx', mode: 0o644 });
      await chown(join(folder, name), uid, gid);
    }
  } catch (error) {
    for (const name of [...Object.keys(plain), 'secrets'])
      await rm(join(folder, name), { recursive: true, force: true });
    throw error;
  }
}

export function requireRoot(): void {
  if (process.getuid?.() !== 0)
    throw new InitError('it has to be root, because each secret belongs to the user of the process that reads it');
}

/** The text of each, by its name. */
export async function readCopied(): Promise<Record<string, string>> {
  const texts = Object.entries(copied).map(async ([name, from]) => [name, await readFile(from, 'utf8')] as const);
  return Object.fromEntries(await Promise.all(texts));
}

export const settingsFor = (chosen: { site: string; isNonRoot: boolean }): Record<string, string> => ({
  '.env': environmentOf(chosen),
  'settings.env': settingsOf(chosen.site),
});

async function writeSecrets(folder: string, secrets: Secret[]): Promise<void> {
  await mkdir(folder, { mode: 0o711 });
  for (const secret of secrets) await writeSecret(join(folder, secret.name), secret);
}

export async function writeSecret(path: string, { text, owner, isPublic }: Secret): Promise<void> {
  await writeFile(path, text, { flag: 'wx', mode: 0o600 });
  await chown(path, owner, owner);
  await chmod(path, isPublic ? 0o444 : 0o400);
}

/** What the compose file itself reads. */
const environmentOf = ({ site, isNonRoot }: { site: string; isNonRoot: boolean }) => `# Read by docker compose.
# The images: <prefix>-server:<version> and so on.
IMAGE_PREFIX=pilothouse
IMAGE_VERSION=${packageJson.version}

# The name under which people reach it. For another name than localhost, Caddy gets a certificate from a public authority.
SITE_ADDRESS=${site}
# The address of this machine at which it is answered: 127.0.0.1 is this machine alone, 0.0.0.0 is everyone.
LISTEN=${site === 'localhost' ? '127.0.0.1' : '0.0.0.0'}
HTTP_PORT=80
HTTPS_PORT=443

# A network that nothing else here uses. The proxy has an address in it, which the server believes.
EDGE_SUBNET=172.29.213.0/28

# The user of browser hosts. Root gives each session a user of its own; "init --non-root-browsers" does without.
BROWSER_USER=${isNonRoot ? '10001:10001' : '0:0'}
# How many browser hosts there are, at most as many as HOST_JOIN_MAX in settings.env.
BROWSERS=2
# Sessions of each host, and its memory: about 1.5 GB for each session at most. All hosts together may take more than the machine
# has: BROWSERS times BROWSER_MEMORY should leave 2 GB for the rest.
BROWSER_CAPACITY=4
BROWSER_MEMORY=8g
`;

/** What servers and agents read beside the compose file. */
const settingsOf = (
  site: string,
) => `# Settings of the server and the agent; .env.example of the sources lists them all.
# Who may register: by an invitation of an administrator. The first administrator has a link in the log of the server.
REGISTRATION=invite
PASSWORD_MIN_LENGTH=15
ALLOWED_HOSTS=${site === 'localhost' ? '' : site}
# Browser hosts come by themselves, each with an address of its own, and no more than these.
HOST_JOIN_MAX=16
# Language models; their keys are files in secrets/.
MODELS=
`;
