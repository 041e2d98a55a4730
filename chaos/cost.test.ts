import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { measureDensity } from '../bench/density.ts';
import { measureOpen } from '../bench/open.ts';

describe('what sessions cost', () => {
  it('is at most half a bare launch to the first picture, from a browser launched ahead', async () => {
    const { open_to_picture_ms, open_with_state_to_picture_ms, killed_to_repaired_ms } = await measureOpen(7);
    console.log(JSON.stringify({ open_to_picture_ms, open_with_state_to_picture_ms, killed_to_repaired_ms }));
    assert.ok(open_to_picture_ms.ratio <= 0.5, `${open_to_picture_ms.ratio}`);
  });

  it('is given back when they close', async () => {
    const { pss_ratio, cpu_ratio, before_open, after_close } = await measureDensity({
      sessions: 2,
      secs: 8,
      everySecs: 1,
    });
    console.log(JSON.stringify({ pss_ratio, cpu_ratio, before_open, after_close }));
    for (const [i, after] of after_close.entries()) {
      assert.equal(after.processes, before_open[i]?.processes);
      // What the host itself has learnt meanwhile stays: code, buffers. The room of its heap does not.
      assert.ok(after.pssMiB - (before_open[i]?.pssMiB ?? 0) < 20, JSON.stringify(after));
    }
  });
});
