import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { createRandom } from '../../../testkit/random.ts';
import { bundleOf, inPieces, recordsOf, testHead, testSigner } from '../testing/bundles.ts';
import { describeVerdict, signerOf, verifyBundle, writeBundle } from './index.ts';

const verify = (bytes: Uint8Array, key: string | undefined = testSigner.publicKey, size?: number) =>
  verifyBundle(inPieces(bytes, size), { key });
const linesOf = (bytes: Buffer) => bytes.toString('utf8').split('\n').slice(0, -1);
const bytesOf = (lines: string[]) => Buffer.from(`${lines.join('\n')}\n`);

describe('a bundle', () => {
  let bundle: Buffer;
  before(async () => {
    bundle = await bundleOf(12, 300);
  });

  it('is whole as it was written, in pieces of any size', async () => {
    for (const size of [1, 7, 4096, bundle.length]) {
      const verdict = await verify(bundle, testSigner.publicKey, size);
      assert.ok(verdict.isWhole, describeVerdict(verdict));
      assert.deepEqual(verdict.kinds, { task: 1, picture: 12, act: 12, outcome: 1 });
      assert.equal(verdict.header.task.id, testHead.task.id);
    }
  });

  it('shows every one of 1,000 changed bytes', async () => {
    const random = createRandom(20_260);
    const missed: string[] = [];
    for (let i = 0; i < 1000; i += 1) {
      const at = random.below(bundle.length);
      const changed = Buffer.from(bundle);
      changed[at] = (bundle[at] ?? 0) ^ (1 + random.below(255));
      const verdict = await verify(changed);
      if (verdict.isWhole) missed.push(`byte ${at}: ${bundle[at]} became ${changed[at]}`);
    }
    assert.deepEqual(missed, []);
  });

  it('names the line that was changed, and its kind', async () => {
    const lines = linesOf(bundle);
    for (const [index, line] of lines.entries()) {
      if (index === 0 || index === lines.length - 1) continue;
      const { kind } = JSON.parse(line) as { kind: string };
      const changed = lines.with(
        index,
        line.replace('"hash":"', '"hash":"0').replace(/"hash":"0(.{63})./, '"hash":"0$1'),
      );
      const verdict = await verify(bytesOf(changed));
      assert.ok(!verdict.isWhole);
      assert.deepEqual([verdict.line, verdict.kind], [index + 1, kind]);
    }
    const other = lines.with(0, lines[0]?.replace('lantern', 'Lantern') ?? '');
    assert.deepEqual(await verify(bytesOf(other)), {
      isWhole: false,
      line: 1,
      kind: 'header',
      problem: 'was changed: it has not the hash that the first record names',
    });
  });

  it('shows lines that were taken out, doubled or exchanged, at every place', async () => {
    const lines = linesOf(bundle);
    for (const index of lines.keys()) {
      const without = await verify(bytesOf(lines.toSpliced(index, 1)));
      const doubled = await verify(bytesOf(lines.toSpliced(index, 0, lines[index] ?? '')));
      assert.deepEqual([without.isWhole, doubled.isWhole], [false, false], `line ${index + 1}`);
      if (index + 1 === lines.length) continue;
      const exchanged = lines.with(index, lines[index + 1] ?? '').with(index + 1, lines[index] ?? '');
      assert.equal((await verify(bytesOf(exchanged))).isWhole, false, `lines ${index + 1} and ${index + 2}`);
    }
  });

  it('shows a cut at every byte of its last lines and at every end of a line, and what was added', async () => {
    const ends = [...bundle.entries()].flatMap(([at, byte]) => (byte === 0x0a ? [at + 1] : []));
    const last = Array.from({ length: 400 }, (_, i) => bundle.length - 400 + i);
    for (const length of new Set([0, 1, ...ends.slice(0, -1), ...last]))
      assert.equal((await verify(bundle.subarray(0, length))).isWhole, false, `${length} bytes`);
    for (const added of ['\n', ' ', '{}', '{}\n', '\0', `${linesOf(bundle)[1]}\n`]) {
      const verdict = await verify(Buffer.concat([bundle, Buffer.from(added)]));
      assert.ok(!verdict.isWhole && verdict.problem === 'comes after the end of the bundle', JSON.stringify(added));
    }
  });

  it('shows changes that mean the same as JSON: white space, order, escapes, numbers, a byte order mark', async () => {
    const lines = linesOf(bundle);
    const [header = '', record = ''] = lines;
    const at = (index: number, line: string) => bytesOf(lines.with(index, line));
    const changed = [
      at(1, record.replace('{"at"', '{ "at"')),
      at(1, `${record} `),
      at(1, `${record}\r`),
      at(0, `${header}\r`),
      at(1, record.replace('0.1', '0.10')),
      at(1, record.replace('Buy', '\\u0042uy')),
      at(1, record.replace(/^{("at":"[^"]*"),/, '{').replace(/}$/, ',"at":"2026-01-02T03:04:05.000Z"}')),
      at(1, record.replace('{"at"', '{"at":"x","at"')),
      at(0, header.replace('{"format"', '{"state":"running","format"')),
      Buffer.concat([Buffer.from('\ufeff'), bundle]),
    ];
    for (const [index, bytes] of changed.entries()) {
      assert.notDeepEqual(bytes, bundle, `change ${index} changes something`);
      assert.equal((await verify(bytes)).isWhole, false, `change ${index}`);
    }
  });

  it('shows a chain that was made again, because the signature is missing', async () => {
    const forger = signerOf(Buffer.alloc(32, 9));
    const forged = linesOf(await bundleOf(3, 30, forger));
    const mine = linesOf(await bundleOf(3, 30));
    const verdict = await verify(bytesOf([...mine.slice(0, -1), forged.at(-1) ?? '']));
    assert.ok(!verdict.isWhole && verdict.kind === 'end', describeVerdict(verdict));
    const other = await verify(bytesOf(forged));
    assert.ok(!other.isWhole && other.kind === 'header' && /you asked for/.test(other.problem));
    const unpinned = await verifyBundle(inPieces(bytesOf(forged)));
    assert.ok(unpinned.isWhole && !unpinned.isKeyPinned);
    assert.match(describeVerdict(unpinned), /which only the bundle names/);
  });

  it('shows pictures that are missing or are not what their hash says, also where the key was used', async () => {
    async function* without() {
      for await (const record of recordsOf(2, 30)) if (record.kind !== 'picture') yield record;
    }
    async function* wrong() {
      for await (const record of recordsOf(1, 30))
        yield record.kind === 'picture' ? { ...record, body: { ...record.body, base64: 'AAAA' } } : record;
    }
    for (const [records, words] of [
      [without(), /not in the bundle/],
      [wrong(), /another hash/],
    ] as const) {
      const bytes = Buffer.concat(await Array.fromAsync(writeBundle(testHead, records, { signer: testSigner })));
      const verdict = await verify(bytes);
      assert.ok(!verdict.isWhole);
      assert.match(verdict.problem, words);
    }
  });

  it('refuses a line without an end before it takes much memory, and nesting without an end', async () => {
    async function* endless() {
      for (;;) yield new Uint8Array(1024 * 1024).fill(0x61);
    }
    const verdict = await verifyBundle(endless());
    assert.ok(!verdict.isWhole && /longer than any line/.test(verdict.problem));
    const [header = ''] = linesOf(bundle);
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    const record = `{"at":"x","body":{"a":${deep}},"hash":"x","kind":"act","n":1,"previous":"x"}`;
    assert.equal((await verify(bytesOf([header, record]))).isWhole, false);
  });

  it('stops when it is told to, in writing and in verifying', async () => {
    const abort = new AbortController();
    abort.abort(new Error('enough'));
    await assert.rejects(verifyBundle(inPieces(bundle), { signal: abort.signal }), /enough/);
    const writing = writeBundle(testHead, recordsOf(3, 30), { signer: testSigner, signal: abort.signal });
    await assert.rejects(Array.fromAsync(writing), /enough/);
  });
});

describe('the command', () => {
  it('says it in one sentence, and by its exit code', async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'pilothouse-bundle-'));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const [good, bad, key] = ['good', 'bad', 'key'].map((name) => join(folder, name)) as [string, string, string];
    const bundle = await bundleOf(3, 30);
    writeFileSync(good, bundle);
    writeFileSync(bad, bundle.with(500, 0x21));
    writeFileSync(key, `${testSigner.publicKey}\n`);
    const run = (...args: string[]) => {
      const program = join(import.meta.dirname, 'verify.main.ts');
      return spawnSync(process.execPath, [program, ...args], { encoding: 'utf8', timeout: 60_000 });
    };
    const pinned = run('verify', good, '--key', key);
    assert.deepEqual([pinned.status, pinned.stderr], [0, '']);
    assert.match(
      pinned.stdout,
      /^UNCHANGED: 8 records \(1 task, 3 picture, 3 act, 1 outcome\) of task [^\n]*which you named\.\n$/,
    );
    const changed = run('verify', bad, '--key', testSigner.publicKey);
    assert.equal(changed.status, 1);
    assert.match(changed.stdout, /^CHANGED: line \d+ \(\w+\) [^\n]*\.\n$/);
    for (const args of [[], ['verify'], ['verify', join(folder, 'none')], ['verify', good, '--key', 'none']])
      assert.equal(run(...args).status, 1, args.join(' '));
  });

  it('verifies 200 acts with pictures within 2 seconds', async () => {
    const bundle = await bundleOf(200, 120_000);
    const [from, used] = [performance.now(), process.cpuUsage()];
    const verdict = await verify(bundle);
    const { user, system } = process.cpuUsage(used);
    // Time of the processor: others may use the machine, too.
    const ms = Math.round((user + system) / 1000);
    assert.ok(verdict.isWhole);
    const passed = Math.round(performance.now() - from);
    console.log(
      `verified ${(bundle.length / 1024 ** 2).toFixed(1)} MiB, 200 acts: ${ms} ms of CPU, ${passed} ms passed`,
    );
    assert.ok(ms < 2000, `${ms} ms`);
  });
});
