import assert from 'node:assert/strict';
import { it } from 'node:test';
import { formatTraceparent, parseTraceparent } from './traceparent.ts';

const traceId = '0af7651916cd43dd8448eb211c80319c';
const spanId = 'b7ad6b7169203331';

it('reads the header of W3C, and writes it as it was', () => {
  for (const flags of ['00', '01']) {
    const header = `00-${traceId}-${spanId}-${flags}`;
    const address = parseTraceparent(header);
    assert.deepEqual(address, { traceId, spanId, isSampled: flags === '01' });
    assert.equal(address && formatTraceparent(address), header);
  }
  assert.equal(parseTraceparent(`00-${traceId}-${spanId}-03`)?.isSampled, true, 'other flags are not ours');
  assert.equal(parseTraceparent(`01-${traceId}-${spanId}-01-what-comes-later`)?.traceId, traceId);
});

it('reads nothing that is not well formed', () => {
  const wrong = [
    undefined,
    null,
    '',
    ['00'],
    `00-${traceId}-${spanId}`,
    `00-${traceId}-${spanId}-01-more`,
    `ff-${traceId}-${spanId}-01`,
    `00-${'0'.repeat(32)}-${spanId}-01`,
    `00-${traceId}-${'0'.repeat(16)}-01`,
    `00-${traceId.toUpperCase()}-${spanId}-01`,
    `00-${traceId}-${spanId}-01\n`,
    ` 00-${traceId}-${spanId}-01`,
    `01-${traceId}-${spanId}-01-${'x'.repeat(300)}`,
  ];
  for (const header of wrong) assert.equal(parseTraceparent(header), undefined, String(header));
});
