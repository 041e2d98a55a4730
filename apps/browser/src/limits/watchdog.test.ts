import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { getPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';
import { createLog } from '@pilothouse/process';
import { until } from '../../../../testkit/until.ts';
import { createPageFlood } from '../pages/page-flood.ts';
import { createCpuUse } from './cpu-use.ts';
import { diskBytesUnder } from './disk-use.ts';
import { type LimitHit, limitsOf } from './limits.ts';
import { parseCpuLine } from './machine-cpu.ts';
import { createProcessTable, parseStat, parseStatus } from './process-table.ts';
import { createSessionMonitor } from './session-monitor.ts';
import { createWatchdog } from './watchdog.ts';

const mb = 1024 * 1024;
const wide = { memoryMb: 4000, processes: 100, diskMb: 100, pages: 20, cpuPercent: 100_000, cpuSecs: 600 };

/** A program in a group of its own, as a browser is. */
function start(code: string) {
  const child = spawn(process.execPath, ['-e', code], { detached: true, stdio: 'ignore' });
  const { pid } = child;
  if (pid === undefined) throw new Error('did not start');
  const gone = new Promise((resolve) => child.once('exit', resolve));
  return {
    pid,
    async [Symbol.asyncDispose]() {
      process.kill(-pid, 'SIGKILL');
      await gone;
    },
  };
}

describe('what the kernel tells', () => {
  test('is read also of a process whose name looks like more', () => {
    const rest = Array.from({ length: 40 }, (_, index) => index + 4).join(' ');
    assert.deepEqual(parseStat(`7 (a) R 1 2) S ${rest}`), { group: 5, cpuMs: (14 + 15) * 10, startedAt: 22 });
  });

  test('is memory that no file backs, the user and the threads', () => {
    const text =
      'Name:\tx\nState:\tS (sleeping)\nUid:\t7\t8\t8\t8\nRssAnon:\t   100 kB\nRssFile:\t 999 kB\nRssShmem:\t 20 kB\nThreads:\t3\n';
    assert.deepEqual(parseStatus(text), { uid: 7, isDead: false, threads: 3, memoryBytes: 120 * 1024 });
    assert.equal(parseStatus('State:\tZ (zombie)\n').isDead, true);
  });

  test('is how long the processors had nothing to do', () => {
    assert.deepEqual(parseCpuLine('cpu  10 0 5 80 5 0 0 0 9 9\ncpu0 1\n'), { idle: 85, all: 100 });
  });
});

describe('the processes of a group', () => {
  test('are counted with those they start, with their memory and their time', async () => {
    await using mine = start(`const kept = Buffer.alloc(${80 * mb}, 1);
      require('child_process').spawn('sleep', ['60']); const end = Date.now() + 400; while (Date.now() < end); setInterval(() => kept, 1e6)`);
    await using other = start('setInterval(() => {}, 1e6)');
    const table = createProcessTable<string>();
    table.add('mine', { pid: mine.pid, uid: undefined });
    table.add('other', { pid: other.pid, uid: undefined });
    let cpuMs = 0;
    await until(() => {
      const taken = table.sample().get('mine');
      cpuMs += taken?.cpuMs ?? 0;
      return taken?.processes === 2 && taken.memoryBytes > 80 * mb && cpuMs > 100;
    }, 30_000);
    const sampled = table.sample();
    assert.equal(sampled.get('other')?.processes, 1);
    assert.ok((sampled.get('other')?.memoryBytes ?? 0) < 80 * mb);
    table.remove('mine');
    assert.deepEqual([...table.sample().keys()], ['other']);
  });
});

describe('a folder', () => {
  test('weighs what lies in it and below, links not followed, and is not counted beyond what is asked', async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'walls-'));
    t.after(() => rm(folder, { recursive: true }));
    await mkdir(join(folder, 'deep'));
    await writeFile(join(folder, 'deep', 'file'), Buffer.alloc(3 * mb, 1));
    await symlink('/usr', join(folder, 'link'));
    const bytes = await diskBytesUnder(folder, 100 * mb);
    assert.ok(bytes >= 3 * mb && bytes < 4 * mb, `${bytes}`);
    assert.ok((await diskBytesUnder(folder, mb)) > mb);
    assert.equal(await diskBytesUnder(join(folder, 'nowhere'), mb), 0);
  });
});

describe('a busy session', () => {
  test('yields at once, is told of later, and is over when it goes on', () => {
    const burning = createCpuUse({ cpuCores: 0.8, cpuMs: 20_000 });
    const news = Array.from({ length: 40 }, () => burning.add(500, 500, false));
    assert.equal(news[0], 'yield');
    assert.equal(news.indexOf('told'), 9);
    assert.equal(news.indexOf('over'), 39);
  });

  test('is calm again only after a while well below', () => {
    const burning = createCpuUse({ cpuCores: 0.8, cpuMs: 20_000 });
    burning.add(500, 500, false);
    const news = Array.from({ length: 6 }, () => burning.add(100, 500, false));
    assert.deepEqual(news, [undefined, undefined, undefined, undefined, undefined, 'calm']);
  });

  test('is one that takes less where nobody gets more', () => {
    const burning = createCpuUse({ cpuCores: 0.8, cpuMs: 20_000 });
    assert.equal(burning.add(150, 500, false), undefined);
    assert.equal(burning.add(150, 500, true), 'yield');
  });

  test('keeps its priority while a viewer or driver waits for its pictures, unless it is above the ordinary limit', async () => {
    await using program = start('setInterval(() => {}, 1e6)');
    const usual = getPriority(program.pid);
    const limits = limitsOf({ ...wide, cpuPercent: 80 });
    const monitor = createSessionMonitor({ folder: '/nowhere', isShown: () => true }, limits);
    const yieldsAfter = (cpuMs: number) => {
      const taken = { memoryBytes: 0, processes: 1, threads: 1, cpuMs, pids: [program.pid] };
      monitor.judge(taken, { elapsedMs: 500, isMachineFull: true });
      return getPriority(program.pid) > usual;
    };
    assert.deepEqual([150, 350, 450].map(yieldsAfter), [false, false, true]);
  });
});

describe('the browser of a host that runs at a low priority itself', () => {
  test('stays behind it, also after it had to yield', async () => {
    const priority = new URL('./priority.ts', import.meta.url);
    const code = `
      import { execFile, spawn } from 'node:child_process';
      import { getPriority, setPriority } from 'node:os';
      import { createLowPriority } from '${priority}';
      const { pid } = spawn('sleep', ['30'], { detached: true, stdio: 'ignore' });
      const yielding = createLowPriority();
      setPriority(pid, Math.min(19, getPriority() + 5));
      const seen = [getPriority(pid)];
      yielding.apply([pid]);
      seen.push(getPriority(pid));
      yielding.undo([pid]);
      seen.push(getPriority(pid));
      process.kill(pid);
      console.log(JSON.stringify(seen));`;
    const node = [process.execPath, '--input-type=module', '-e', code];
    const host = await promisify(execFile)('nice', ['-n', '10', ...node], { timeout: 20_000 });
    const [usual = 0, yielding = 0, after = 0] = JSON.parse(host.stdout) as number[];
    assert.ok(yielding >= usual && after >= usual, host.stdout);
  });
});

describe('pages that are refused', () => {
  test('are told of once in a while, and are a flood when they are many or go on', () => {
    let now = 0;
    const many = createPageFlood(3, () => now);
    assert.deepEqual([many.add(), many.add(), many.add(), many.add()], ['first', undefined, 'flood', undefined]);
    const goingOn = createPageFlood(3, () => now);
    const news = [0, 11_000, 11_000].map((ms) => {
      now += ms;
      return goingOn.add();
    });
    assert.deepEqual(news, ['first', 'first', 'flood']);
    now += 60_000;
    assert.equal(goingOn.add(), 'first');
  });
});

describe('the walls', () => {
  async function hitOf(code: string, limits: Partial<typeof wide>): Promise<LimitHit> {
    const folder = await mkdtemp(join(tmpdir(), 'walls-'));
    await using program = start(code.replaceAll('FOLDER', folder));
    const walls = createWatchdog({ limits: limitsOf({ ...wide, ...limits }), log: createLog('walls', 'silent') });
    try {
      const hits: LimitHit[] = [];
      walls.watch({ pid: program.pid, uid: undefined, folder }, (hit) => hits.push(hit));
      await until(() => hits.some((hit) => hit.is_ended), 30_000);
      assert.equal(hits.filter((hit) => hit.is_ended).length, 1);
      return hits.find((hit) => hit.is_ended) ?? assert.fail();
    } finally {
      walls.close();
      await rm(folder, { recursive: true });
    }
  }

  test('let a busy session yield, and let it go first again before it ends', async () => {
    await using program = start('for (;;);');
    const limits = limitsOf({ ...wide, cpuPercent: 20 });
    const walls = createWatchdog({ limits, log: createLog('walls', 'silent') });
    try {
      const usual = getPriority(program.pid);
      const watch = walls.watch({ pid: program.pid, uid: undefined, folder: '/nowhere' }, () => {});
      await until(() => getPriority(program.pid) > usual, 30_000);
      watch.close();
      // Only root can put it back.
      if (process.getuid?.() === 0) assert.equal(getPriority(program.pid), usual);
    } finally {
      walls.close();
    }
  });

  test('let one yield at once that is about to take much, and go first again when it is calm', async () => {
    await using program = start('setInterval(() => {}, 1e6)');
    const walls = createWatchdog({ limits: limitsOf(wide), log: createLog('walls', 'silent') });
    try {
      const usual = getPriority(program.pid);
      const watch = walls.watch({ pid: program.pid, uid: undefined, folder: '/nowhere' }, () => {});
      watch.yieldNow();
      // What it began meanwhile is found by the next sample, and that comes soon.
      await until(() => getPriority(program.pid) > usual, 5000);
      if (process.getuid?.() === 0) await until(() => getPriority(program.pid) === usual, 15_000);
      watch.close();
    } finally {
      walls.close();
    }
  });

  test('let one yield that takes memory as if it wanted all of it, however little it computes', async () => {
    await using program = start(`const kept = [];
      const timer = setInterval(() => { kept.push(Buffer.alloc(${12 * mb}, 1)); if (kept.length > 33) clearInterval(timer) }, 10); setInterval(() => kept, 1e6)`);
    const hits: LimitHit[] = [];
    const walls = createWatchdog({ limits: limitsOf({ ...wide, memoryMb: 600 }), log: createLog('walls', 'silent') });
    try {
      const usual = getPriority(program.pid);
      walls.watch({ pid: program.pid, uid: undefined, folder: '/nowhere' }, (hit) => hits.push(hit)).lookCloser();
      await until(() => getPriority(program.pid) > usual, 10_000);
      assert.deepEqual(hits, []);
    } finally {
      walls.close();
    }
  });

  test('leave one behind that they have ended: to free what it took is work for the kernel', async () => {
    await using program = start(`const kept = Buffer.alloc(${300 * mb}, 1); setInterval(() => kept, 1e6)`);
    const walls = createWatchdog({ limits: limitsOf({ ...wide, memoryMb: 256 }), log: createLog('walls', 'silent') });
    try {
      const usual = getPriority(program.pid);
      let whenTold: number | undefined;
      const watch = walls.watch({ pid: program.pid, uid: undefined, folder: '/nowhere' }, () => {
        whenTold = getPriority(program.pid);
      });
      await until(() => whenTold !== undefined, 10_000);
      watch.close();
      assert.ok((whenTold ?? usual) > usual);
      assert.equal(getPriority(program.pid), whenTold);
    } finally {
      walls.close();
    }
  });

  test('are not put off by a session that begins something all the time', async () => {
    await using program = start(`const kept = Buffer.alloc(${300 * mb}, 1); setInterval(() => kept, 1e6)`);
    const hits: LimitHit[] = [];
    const walls = createWatchdog({ limits: limitsOf({ ...wide, memoryMb: 256 }), log: createLog('walls', 'silent') });
    const watch = walls.watch({ pid: program.pid, uid: undefined, folder: '/nowhere' }, (hit) => hits.push(hit));
    const beginning = setInterval(watch.lookCloser, 10);
    try {
      await until(() => hits.length > 0, 10_000);
      assert.equal(hits[0]?.wall, 'memory');
    } finally {
      clearInterval(beginning);
      walls.close();
    }
  });

  test('tell of memory, processes, processors and disk', async () => {
    const [memory, processes, cpu, disk] = await Promise.all([
      hitOf(`const kept = []; setInterval(() => kept.push(Buffer.alloc(${10 * mb}, 1)), 20)`, { memoryMb: 300 }),
      hitOf(`for (let i = 0; i < 5; i++) require('child_process').spawn('sleep', ['60'])`, { processes: 5 }),
      hitOf('for (;;);', { cpuPercent: 20, cpuSecs: 2 }),
      hitOf(`require('fs').writeFileSync('FOLDER/file', Buffer.alloc(${3 * mb}, 1)); setInterval(() => {}, 1e6)`, {
        diskMb: 2,
      }),
    ]);
    assert.deepEqual([memory.wall, processes.wall, cpu.wall, disk.wall], ['memory', 'processes', 'cpu', 'disk']);
  });
});
