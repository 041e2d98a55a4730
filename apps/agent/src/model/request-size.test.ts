import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { requestTo } from '../../testing/models.ts';
import { costMicros, listedPrice } from './prices.ts';
import { createRequestSizes } from './request-size.ts';

describe('the size of a request', () => {
  const request = (text: string, model = 'local') =>
    requestTo(model, { system: { text: '' }, tools: [], messages: [{ role: 'user', text }] });

  it('is 3.2 bytes a token until a vendor has counted', () => {
    const { estimate } = createRequestSizes();
    assert.equal(estimate(request('x'.repeat(3200))), 1000);
    assert.equal(estimate(request('ü'.repeat(1600))), 1000);
    const picture = { mediaType: 'image/jpeg' as const, bytes: Buffer.alloc(50_000) };
    const seen = request('x'.repeat(3200));
    assert.equal(
      estimate({ ...seen, messages: [{ role: 'user', text: 'x'.repeat(3200), pictures: [picture] }] }),
      2250,
    );
    assert.ok(estimate(requestTo('local')) > 100, 'tools count');
  });

  it('follows what the vendor counts, for each model by itself, within bounds', () => {
    const { estimate, learn } = createRequestSizes();
    learn(request('x'.repeat(3200)), 1200);
    assert.equal(estimate(request('x'.repeat(3200))), 1200);
    for (let n = 0; n < 20; n += 1) learn(request('x'.repeat(3200)), 800);
    assert.ok(Math.abs(estimate(request('x'.repeat(3200))) - 800) < 5);
    assert.equal(estimate(request('x'.repeat(3200), 'other')), 1000);
    learn(request('x'.repeat(3200), 'odd'), 1_000_000);
    assert.equal(estimate(request('x'.repeat(3200), 'odd')), 2000);
    learn(request('x'.repeat(3200), 'none'), 0);
    assert.equal(estimate(request('x'.repeat(3200), 'none')), 1000);
  });
});

describe('the cost of a call', () => {
  it('counts fresh, cached and written input apart, and is rounded up', () => {
    const price = { input: 3_000_000, cached: 300_000, cacheWritten: 3_750_000, output: 15_000_000 };
    const usage = { input: 1000, cached: 600, cacheWritten: 100, output: 10, reasoning: 4 };
    assert.equal(costMicros(usage, price), 300 * 3 + 600 * 0.3 + 100 * 3.75 + 10 * 15);
    assert.equal(costMicros({ input: 1, cached: 1, cacheWritten: 0, output: 0, reasoning: 0 }, price), 1);
    assert.equal(costMicros(usage, undefined), 0);
  });

  it('is listed for a model in every state of it', () => {
    const sonnet = listedPrice('anthropic/claude-sonnet-4-5');
    assert.equal(sonnet?.input, 3_000_000);
    for (const state of ['-20250929', '-latest', '-2026-01-02', '-preview', '-preview-09-2026'])
      assert.deepEqual(listedPrice(`anthropic/claude-sonnet-4-5${state}`), sonnet);
    assert.equal(listedPrice('anthropic/claude-unheard-of'), undefined);
  });
});
