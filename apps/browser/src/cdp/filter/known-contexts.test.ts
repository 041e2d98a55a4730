import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createKnownContexts } from './known-contexts.ts';

const context = (id: number) => ({ id, uniqueId: `u${id}`, name: '' });
const gone = (id: number) => ({
  method: 'Runtime.executionContextDestroyed',
  params: { executionContextId: id, executionContextUniqueId: `u${id}` },
});
const come = (id: number) => ({ method: 'Runtime.executionContextCreated', params: { context: context(id) } });

describe('the contexts that a client knows', () => {
  it('are told to be others only where they are', () => {
    const known = createKnownContexts();
    known.start('s', [context(1), context(2)]);
    assert.deepEqual(known.news('s', [context(2), context(3)]), [gone(1), come(3)]);
    known.start('s', [context(2), context(3)]);
    assert.deepEqual(known.news('s', [context(2), context(3)]), []);
  });

  it('are announced to the client again, once, where a script failed in them', () => {
    const known = createKnownContexts();
    const both = [context(1), context(2)];
    for (const [method, params, expected] of [
      ['Runtime.evaluate', { contextId: 1 }, [gone(1), come(1)]],
      ['Runtime.evaluate', { uniqueContextId: 'u2' }, [gone(2), come(2)]],
      ['Runtime.callFunctionOn', { executionContextId: 2 }, [gone(2), come(2)]],
      ['Runtime.callFunctionOn', { objectId: 'x' }, []],
      ['Runtime.addBinding', { name: 'x', executionContextName: 'y' }, [gone(1), gone(2), come(1), come(2)]],
    ] as const) {
      known.start('s', both);
      known.failed('s', method, params);
      known.failed('other', method, { contextId: 1 });
      assert.deepEqual(known.news('s', both), expected, `${method} ${JSON.stringify(params)}`);
      known.start('s', both);
      assert.deepEqual(known.news('s', both), []);
    }
  });

  it('are all told where nothing was known', () => {
    assert.deepEqual(createKnownContexts().news('s', [context(1)]), [come(1)]);
  });
});
