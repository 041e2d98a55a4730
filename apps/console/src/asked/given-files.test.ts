import assert from 'node:assert/strict';
import { it } from 'node:test';
import { describeLimits, findFault, readGivenFiles } from './given-files.ts';

const limits = { files: 3, bytes: 45 * 1024 };
const file = (name: string, kib: number) => ({ name, size: kib * 1024 });

it('the limits are said before a file is chosen', () => {
  assert.equal(describeLimits(limits, false), 'One file, 45 KiB at most');
  assert.equal(describeLimits(limits, true), '3 files at most, 45 KiB together');
});

it('files that do not fit are refused in words, before anything is sent', () => {
  assert.equal(findFault([file('a.txt', 45)], limits, false), undefined);
  assert.equal(findFault([file('a.txt', 46)], limits, false), '“a.txt” has 46 KiB. 45 KiB can be given.');
  assert.equal(findFault([file('a', 1), file('b', 1)], limits, false), 'The page takes one file.');
  assert.equal(
    findFault([file('a', 30), file('b', 30)], limits, true),
    'Together they have 60 KiB. 45 KiB can be given.',
  );
  assert.match(
    findFault(
      [1, 2, 3, 4].map((one) => file(`${one}`, 1)),
      limits,
      true,
    ) ?? '',
    /^That is 4 files/,
  );
  assert.equal(findFault([file('a', 1), file('a', 1)], limits, true), 'Two of them have the same name.');
});

it('files travel as base64, byte for byte', async () => {
  const bytes = Uint8Array.from({ length: 256 }, (_, index) => index);
  const [given] = await readGivenFiles([new File([bytes], 'a/b.bin')]);
  assert.equal(given?.name, 'a_b.bin');
  assert.deepEqual(Uint8Array.from(Buffer.from(given?.content_base64 ?? '', 'base64')), bytes);
});
