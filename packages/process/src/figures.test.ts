import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Registry } from 'prom-client';
import { until } from '../../../testkit/until.ts';
import { createFigures } from './cached.ts';
import { exposeFigures, exposeRoundTrips } from './ops.ts';

const far = 3_600_000;

describe('figures that are asked for', () => {
  it('are asked once, however many read them', async () => {
    let asked = 0;
    const figures = createFigures({ ask: async () => ++asked, everyMs: far });
    const metrics = new Registry();
    for (const name of ['one', 'other'])
      exposeFigures(metrics, figures, {
        name,
        help: 'h',
        labelNames: ['of'],
        show: (value) => [{ labels: { of: 'all' }, value }],
      });
    const texts = await Promise.all([metrics.metrics(), metrics.metrics()]);
    for (const text of [...texts, await metrics.metrics()])
      assert.match(text, /^one\{of="all"\} 1$[\s\S]*^other\{of="all"\} 1$/m);
    assert.equal(asked, 1);
  });

  it('are asked again after their time, and what failed not before', async () => {
    let asked = 0;
    const ask = async () => {
      asked += 1;
      if (asked === 1) throw new Error('away');
      return asked;
    };
    const quick = createFigures({ ask, everyMs: 0 });
    assert.equal(await quick.read(), undefined);
    assert.equal(await quick.read(), 2);
    asked = 0;
    const slow = createFigures({ ask, everyMs: far });
    assert.equal(await slow.read(), undefined);
    assert.equal(await slow.read(), undefined);
    assert.equal(asked, 1);
  });

  it('keep nobody waiting: an answer that is late is shown to the next', async () => {
    const late = Promise.withResolvers<number>();
    const figures = createFigures({ ask: () => late.promise, everyMs: far, patienceMs: 20 });
    const metrics = new Registry();
    const show = (value: number) => [{ labels: { of: 'all' }, value }];
    exposeFigures(metrics, figures, { name: 'late', help: 'h', labelNames: ['of'], show });
    assert.doesNotMatch(await metrics.metrics(), /^late\{/m);
    late.resolve(7);
    await until(async () => /^late\{of="all"\} 7$/m.test(await metrics.metrics()), 5000);
  });

  it('tell how long services take, and which do not answer', async () => {
    const metrics = new Registry();
    const away = () => Promise.reject(new Error('away'));
    exposeRoundTrips(metrics, { bus: async () => true, database: async () => false, other: away });
    const text = await metrics.metrics();
    assert.match(text, /^pilothouse_round_trip_seconds\{to="bus"\} [\d.e-]+$/m);
    assert.doesNotMatch(text, /^pilothouse_round_trip_seconds\{to="(database|other)"/m);
    assert.match(text, /^pilothouse_reaches\{to="bus"\} 1$/m);
    assert.match(text, /^pilothouse_reaches\{to="database"\} 0$/m);
    assert.match(text, /^pilothouse_reaches\{to="other"\} 0$/m);
  });
});
