// Stand-ins for the images that ours are built on, under their official names, made of Debian's packages: a machine that
// reaches no image registry can build and run everything. They are for the trial only and are never shipped.
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readdir, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { root } from '../../testkit/stack/folders.ts';
import { runCommand } from './command.ts';
import { postgresEntry } from './postgres-entry.ts';

const makeMs = 600_000;
const dayMs = 86_400_000;
/** What everything is made of but where it says otherwise. */
const suites = ['trixie'];

export type Base = {
  /** As the Dockerfile and compose.yaml name it. */
  image: string;
  variant: 'minbase' | 'extract';
  packages: string[];
  /** Where its packages are from, if not from one suite alone: those of the preferred one come first. */
  from?: { suites: string[]; preferred: string };
  /** Commands that run in the made tree, which is the working directory. */
  hooks: string[];
  /** What the image says beside its files, in the words of a Dockerfile. */
  says: string[];
};

const withoutDocuments = ['doc', 'man', 'locale', 'info'].map((name) => `--dpkgopt=path-exclude=/usr/share/${name}/*`);

/** The npm whose commands the Dockerfile uses. */
const npmVersion = '11.19.1';

const bases: Base[] = [
  {
    image: 'node:24-trixie-slim',
    variant: 'minbase',
    packages: ['ca-certificates'],
    hooks: [
      'cp "$INPUTS/node" usr/local/bin/node',
      'mkdir -p usr/local/lib/node_modules/npm etc/ssl/certs',
      'tar -xzf "$INPUTS/npm.tgz" -C usr/local/lib/node_modules/npm --strip-components=1 --no-same-owner',
      'ln -s ../lib/node_modules/npm/bin/npm-cli.js usr/local/bin/npm',
      'cp "$INPUTS/ca.crt" etc/ssl/certs/ca-certificates.crt',
      'chroot . useradd --create-home --uid 1000 node',
    ],
    // The machine may be behind a proxy with an authority of its own.
    says: ['ENV NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt', 'CMD ["node"]'],
  },
  {
    image: 'postgres:17-trixie',
    variant: 'extract',
    packages: ['postgresql-17', 'bash', 'dash', 'coreutils', 'base-files', 'sed', 'grep', 'libc-bin'],
    hooks: [
      'ln -sf dash usr/bin/sh',
      'mkdir -p usr/local/bin && cp "$INPUTS/postgres-entry" usr/local/bin/docker-entrypoint.sh && chmod 755 usr/local/bin/docker-entrypoint.sh',
      'printf "root:x:0:0::/root:/bin/sh\\npostgres:x:999:999::/var/lib/postgresql:/bin/sh\\n" >etc/passwd',
      'printf "root:x:0:\\npostgres:x:999:\\n" >etc/group',
      'install -d -o 999 -g 999 -m 700 var/lib/postgresql/data && install -d run tmp && rm -rf var/run && ln -s /run var/run',
      'for name in postgres initdb pg_ctl psql pg_isready pg_dump pg_restore; do ln -sf ../lib/postgresql/17/bin/$name usr/bin/$name; done',
      'mkdir -p docker-entrypoint-initdb.d',
    ],
    says: [
      'ENV PGDATA=/var/lib/postgresql/data LANG=C.UTF-8',
      'ENTRYPOINT ["docker-entrypoint.sh"]',
      'VOLUME /var/lib/postgresql/data',
      'CMD ["postgres"]',
    ],
  },
  {
    // Without a shell, as the official one.
    image: 'nats:2.10',
    variant: 'extract',
    packages: ['nats-server', 'base-files'],
    hooks: ['mv usr/bin/nats-server usr/sbin/nats-server . 2>/dev/null || true', 'test -x nats-server'],
    says: ['ENTRYPOINT ["/nats-server"]', 'CMD ["--config", "nats-server.conf"]'],
  },
  {
    image: 'caddy:2.11',
    variant: 'extract',
    packages: ['caddy', 'base-files'],
    from: { suites: ['trixie', 'trixie-backports'], preferred: 'trixie-backports' },
    hooks: ['mkdir -p data config etc/caddy', 'test -x usr/bin/caddy'],
    says: [
      'ENV XDG_DATA_HOME=/data XDG_CONFIG_HOME=/config PATH=/usr/bin',
      'CMD ["caddy", "run", "--config", "/etc/caddy/Caddyfile", "--adapter", "caddyfile"]',
    ],
  },
];

export type Release = 'debian-12' | 'debian-13';

/** The engine itself, so that the machine needs none and gets none. */
const engine = {
  variant: 'extract',
  packages: ['docker.io', 'iptables', 'iproute2', 'tini', 'kmod'].concat([
    'bash',
    'dash',
    'coreutils',
    'util-linux',
    'mount',
    'libc-bin',
    'base-files',
    'ca-certificates',
  ]),
  hooks: [
    'ln -sf dash usr/bin/sh',
    'for name in iptables ip6tables; do ln -sf xtables-nft-multi usr/sbin/$name; done',
    'printf "root:x:0:0::/root:/bin/sh\\n" >etc/passwd && printf "root:x:0:\\n" >etc/group',
  ],
  says: [],
} satisfies Partial<Base>;
const newerCompose = `#!/bin/sh
exec /opt/compose/usr/lib64/ld-linux-*.so.* --library-path "$(echo /opt/compose/usr/lib/*-linux-gnu)" \\
  /opt/compose/usr/libexec/docker/cli-plugins/docker-compose "$@"
`;
const engines: Record<Release, Base> = {
  'debian-13': {
    ...engine,
    image: 'engine-13',
    packages: [...engine.packages, 'docker-cli', 'docker-buildx', 'docker-compose'],
    hooks: [
      ...engine.hooks,
      // The profile that this engine puts on a container by default is only in its sources.
      'cd usr/share && env APT_CONFIG="$MMDEBSTRAP_APT_CONFIG" apt-get download golang-github-docker-docker-dev',
      'dpkg-deb --fsys-tarfile usr/share/golang-github-docker-docker-dev_*.deb | tar -xO --wildcards "*/profiles/seccomp/default.json" >usr/share/seccomp-default.json',
      'rm usr/share/golang-github-docker-docker-dev_*.deb',
    ],
  },
  // Its own Compose does not understand our file; the newer one brings the C library that it was made with.
  'debian-12': {
    ...engine,
    image: 'engine-12',
    from: { suites: ['bookworm', 'trixie'], preferred: 'bookworm' },
    hooks: [
      ...engine.hooks,
      'mkdir -p opt/compose usr/libexec/docker/cli-plugins',
      'cd opt/compose && env APT_CONFIG="$MMDEBSTRAP_APT_CONFIG" apt-get download docker-compose/trixie libc6/trixie',
      'for one in opt/compose/*.deb; do dpkg-deb --extract "$one" opt/compose && rm "$one"; done',
      `cat >usr/libexec/docker/cli-plugins/docker-compose <<'END'\n${newerCompose}END`,
      'chmod 755 usr/libexec/docker/cli-plugins/docker-compose',
    ],
  },
};

export const releases = Object.keys(engines).filter(isRelease);

export function isRelease(name: string): name is Release {
  return name in engines;
}

/** The tree of the newest engine, which builds the images, those of the engines that run them, and what the images are made of. */
export type Prepared = {
  builder: string;
  engines: { release: Release; tree: string }[];
  images: { image: string; archive: string; says: string[] }[];
};

/** Makes what is not there yet; what was made of the same recipe is kept in `.tools/images`. */
export async function prepareBases(running: Release[], signal: AbortSignal): Promise<Prepared> {
  await mkdir(join(root, '.tools/images'), { recursive: true });
  const folder = await realpath(join(root, '.tools/images'));
  // BuildKit has a package of its own in Debian 13, and none in Debian 12.
  const wanted = [...new Set([engines['debian-13'], ...running.map((release) => engines[release])]), ...bases];
  // All of them end before this does: what is half made is removed.
  const ended = await Promise.allSettled(wanted.map((base) => prepare(base, folder, signal)));
  for (const one of ended) if (one.status === 'rejected') throw one.reason;
  const current = new Set([...Object.values(engines), ...bases].map(nameOf));
  for (const name of await readdir(folder)) {
    // Another trial may be making some; what is older was left by one that was killed.
    const { mtimeMs } = await stat(join(folder, name));
    const isBeingMade = name.startsWith('making-') && Date.now() - mtimeMs < dayMs;
    if (!current.has(name) && !isBeingMade) await rm(join(folder, name), { recursive: true, force: true });
  }
  return {
    builder: join(folder, nameOf(engines['debian-13'])),
    engines: running.map((release) => ({ release, tree: join(folder, nameOf(engines[release])) })),
    images: bases.map((base) => ({ image: base.image, says: base.says, archive: join(folder, nameOf(base)) })),
  };
}

const isEngine = (base: Base) => Object.values(engines).includes(base);

/** What was made of another recipe has another name. */
function nameOf(base: Base): string {
  const stamp = createHash('sha256')
    .update(JSON.stringify([base, suites, npmVersion, process.version, postgresEntry, month()]))
    .digest('hex')
    .slice(0, 16);
  return `${base.image.replace(/[:/]/g, '-')}-${stamp}${isEngine(base) ? '' : '.tar'}`;
}

async function prepare(base: Base, folder: string, signal: AbortSignal): Promise<void> {
  const target = join(folder, nameOf(base));
  if (existsSync(target)) return;
  signal.throwIfAborted();
  const started = performance.now();
  const scratch = await mkdtemp(join(folder, 'making-'));
  try {
    await writeInputs(base, scratch);
    const made = join(scratch, isEngine(base) ? 'tree' : 'tree.tar');
    // What is only unpacked has no later moment.
    const when = base.variant === 'extract' ? 'extract' : 'customize';
    const hooks = base.hooks.map((hook) => `--${when}-hook=cd "$1" && ${hook}`);
    const options = ['--quiet', `--variant=${base.variant}`, '--dpkgopt=force-unsafe-io'];
    // Where packages are only unpacked, leaving files out takes longer than writing them.
    if (base.variant === 'minbase') options.push(...withoutDocuments);
    if (base.from) options.push(`--aptopt=APT::Default-Release "${base.from.preferred}"`);
    const [suite = ''] = base.from?.suites ?? suites;
    await runCommand(
      ['mmdebstrap', ...options, `--include=${base.packages.join(',')}`, ...hooks, suite, made, ...(await lines(base))],
      { timeoutMs: makeMs, signal, env: { ...process.env, INPUTS: scratch, TMPDIR: scratch } },
    );
    await rename(made, target);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
  console.log(`images: made the stand-in ${base.image} in ${Math.round((performance.now() - started) / 1000)} s`);
}

/** Debian's security updates come in: what was made last month is made again. */
const month = () => new Date().toISOString().slice(0, 7);

async function writeInputs({ image }: Base, scratch: string): Promise<void> {
  if (image.startsWith('postgres')) await writeFile(join(scratch, 'postgres-entry'), postgresEntry);
  if (!image.startsWith('node')) return;
  await copyFile(process.execPath, join(scratch, 'node'));
  await copyFile('/etc/ssl/certs/ca-certificates.crt', join(scratch, 'ca.crt'));
  const pack = ['npm', 'pack', '--loglevel=error', '--ignore-scripts', '--pack-destination', scratch];
  const packed = await runCommand([...pack, `npm@${npmVersion}`], { timeoutMs: 120_000, cwd: scratch });
  await rename(join(scratch, packed.trim()), join(scratch, 'npm.tgz'));
}

/** Where Debian's packages are, as this machine has it; nothing to say where one release alone is enough. */
async function lines({ from }: Base): Promise<string[]> {
  if (!from) return [];
  const targets = ['apt-get', 'indextargets', '--format', '$(REPO_URI)', 'Created-By: Packages', 'Origin: Debian'];
  const address = (await runCommand(targets, { timeoutMs: 60_000 })).split('\n').find((one) => /\/debian\/$/.test(one));
  if (!address) throw new Error('apt names no place of Debian packages');
  return from.suites.map((suite) => `deb ${address} ${suite} main`);
}
