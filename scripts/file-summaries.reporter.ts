// A reporter for node's test runner: one JSON line for each test file, with how long it took and whether it passed.
import type { TestEvent } from 'node:test/reporters';

export type FileSummary = { file: string; ms: number; hasPassed: boolean };

export default async function* summaries(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const event of events)
    if (event.type === 'test:summary' && event.data.file !== undefined) {
      const { file, duration_ms: ms, success: hasPassed } = event.data;
      yield `${JSON.stringify({ file, ms, hasPassed })}\n`;
    }
}
