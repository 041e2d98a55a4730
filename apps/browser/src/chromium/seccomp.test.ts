import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { describe, it } from 'node:test';
import { filterCommand, seccompFilter } from './seccomp.ts';

const eperm = 1;
const enosys = 38;
const eafnosupport = 97;

describe('the filter of system calls', () => {
  const filter = seccompFilter();
  /** Runs a program of perl below the filter. */
  const under = (program: string) => {
    assert.ok(filter);
    const script = `exec setpriv --no-new-privs ${filterCommand(filter)} perl -e "$0"`;
    const { status, signal, stdout, stderr } = spawnSync('sh', ['-c', script, program], { encoding: 'utf8' });
    assert.deepEqual([status, signal, stderr], [0, null, '']);
    return stdout;
  };
  const errnoOf = (calls: string[]) =>
    under(calls.map((call) => `$! = 0; syscall(${call}); print $! + 0, "\\n";`).join(' '))
      .trim()
      .split('\n')
      .map(Number);

  it('refuses each call of its list', { skip: !filter }, () => {
    const numbers = Object.entries(filter?.refused ?? {});
    assert.ok(numbers.length > 50);
    // What one of them would do with these arguments is refused by the kernel too, in other words.
    const met = errnoOf(numbers.map(([, number]) => `${number}, -1, -1, -1, -1, -1, -1`));
    assert.deepEqual(
      numbers.map(([name], index) => [name, met[index]]),
      numbers.map(([name]) => [name, eperm]),
    );
  });

  it('has calls that the kernel knows under these numbers', { skip: !filter }, () => {
    const header = spawnSync('sh', ['-c', 'echo "#include <asm/unistd.h>" | cpp -dM -'], { encoding: 'utf8' });
    if (header.status !== 0) return;
    for (const [name, number] of Object.entries(filter?.refused ?? {})) {
      const known = new RegExp(`^#define __NR_${name} (\\d+)$`, 'm').exec(header.stdout)?.[1];
      assert.equal(Number(known), number, name);
    }
  });

  it('answers calls that are newer than itself as an older kernel would', { skip: !filter }, () => {
    assert.deepEqual(errnoOf(['463', '5000', `${0x40000000 + 39}`]), [enosys, enosys, enosys]);
  });

  it('leaves the sockets that a browser needs, and no others', { skip: process.arch !== 'x64' }, () => {
    const families = { local: 1, ipv4: 2, ipv6: 10, netlink: 16, alg: 38, packet: 17, vsock: 40, bluetooth: 31 };
    const met = errnoOf(Object.values(families).map((family) => `41, ${family}, ${family === 16 ? 3 : 1}, 0`));
    assert.deepEqual(
      Object.keys(families).map((name, index) => [name, met[index]]),
      [
        ...['local', 'ipv4', 'ipv6', 'netlink'].map((name) => [name, 0]),
        ...['alg', 'packet', 'vsock', 'bluetooth'].map((name) => [name, eafnosupport]),
      ],
    );
  });

  it('ends a process that speaks the language of another processor', { skip: process.arch !== 'x64' }, () => {
    assert.ok(filter);
    // Code that asks for its own pid by the old call of 32 bits.
    const program = `$c = pack("H*", "b814000000cd80c3");
      $a = syscall(9, 0, 4096, 7, 34, -1, 0); die "no memory" if $a < 0;
      open M, "+<", "/proc/self/mem" or die; seek M, $a, 0; syswrite M, $c; require DynaLoader;
      DynaLoader::dl_install_xsub("main::ask", $a); ask(); print "answered";`;
    const script = `exec setpriv --no-new-privs ${filterCommand(filter)} perl -e "$0"`;
    const { signal, stdout } = spawnSync('sh', ['-c', script, program], { encoding: 'utf8' });
    assert.deepEqual([signal, stdout], ['SIGSYS', '']);
  });

  it('has one for each processor that we know, and none for others', () => {
    assert.equal(seccompFilter('riscv64'), undefined);
    const [x64, arm64] = [seccompFilter('x64'), seccompFilter('arm64')];
    assert.ok(x64 && arm64);
    assert.notDeepEqual(x64.bytes, arm64.bytes);
    assert.equal(arm64.refused.ptrace, 117);
    assert.equal(arm64.refused.iopl, undefined);
  });
});
