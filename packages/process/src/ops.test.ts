import assert from 'node:assert/strict';
import { it } from 'node:test';
import { startOps } from './ops.ts';

it('answers whether the process is ready, and a question that fails with 500 instead of its death', async () => {
  const answers: (() => boolean | Promise<boolean>)[] = [
    () => true,
    async () => false,
    () => {
      throw new Error('broken');
    },
    () => Promise.reject(new Error('broken')),
    () => true,
  ];
  const ops = await startOps({ port: 0, host: '127.0.0.1', isReady: () => answers.shift()?.() ?? false });
  try {
    const statusOf = async (path: string) => (await fetch(`http://127.0.0.1:${ops.port}${path}`)).status;
    for (const status of [200, 503, 500, 500, 200]) assert.equal(await statusOf('/ready'), status);
    assert.equal(await statusOf('/metrics'), 200);
    assert.equal(await statusOf('/nothing'), 404);
  } finally {
    await ops.close();
  }
});

it('includes the notices of the process in the answer of /ready', async () => {
  const ops = await startOps({ port: 0, host: '127.0.0.1', isReady: () => true, notices: ['the door is open'] });
  try {
    const textOf = async (path: string) => (await fetch(`http://127.0.0.1:${ops.port}${path}`)).text();
    assert.equal(await textOf('/ready'), 'ready\nnotice: the door is open\n');
    assert.match(await textOf('/metrics'), /^pilothouse_notices 1$/m);
  } finally {
    await ops.close();
  }
});
