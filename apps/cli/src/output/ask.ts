// Asks the person at the terminal.

import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { CommandFailure } from '../connection/failure.ts';

/** Ctrl-C while a question stands. */
export class Interrupted extends Error {}

export type Ask = {
  /** Whether there is a person to ask: input and output are a terminal. */
  canAsk: boolean;
  line(question: string, signal?: AbortSignal): Promise<string>;
  /** What is typed is not shown. */
  secret(question: string): Promise<string>;
};
type Streams = {
  stdin: NodeJS.ReadableStream & { isTTY?: boolean };
  stdout: NodeJS.WritableStream & { isTTY?: boolean };
  stderr: NodeJS.WritableStream & { isTTY?: boolean };
};

/** Questions go to the standard error: what a program reads of a command has none. */
export function createAsk({ stdin, stdout, stderr }: Streams): Ask {
  const canAsk = stdin.isTTY === true && stdout.isTTY === true;
  /** The terminal, also where errors go into a file. */
  const shown = stderr.isTTY === true ? stderr : stdout;
  const requireTerminal = (text: string) => {
    if (!canAsk) throw new CommandFailure(`there is no terminal to ask in: ${text.trim()}`, { exit: 'usage' });
  };
  const question = async (text: string, output: NodeJS.WritableStream, signal?: AbortSignal) => {
    requireTerminal(text);
    const reader = createInterface({ input: stdin, output, terminal: true });
    const stopping = new AbortController();
    reader.once('SIGINT', () => stopping.abort(new Interrupted('interrupted')));
    // The input ended (Ctrl-D).
    reader.once('close', () => stopping.abort(new Interrupted('interrupted')));
    try {
      return (
        await reader.question(text, { signal: AbortSignal.any([stopping.signal, ...(signal ? [signal] : [])]) })
      ).trim();
    } catch (error) {
      // What it throws has the reason as its cause.
      if (stopping.signal.aborted) throw stopping.signal.reason;
      throw signal?.aborted ? signal.reason : error;
    } finally {
      reader.close();
    }
  };
  return {
    canAsk,
    line: (text, signal) => question(text, shown, signal),
    async secret(text) {
      requireTerminal(text);
      shown.write(text);
      const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
      try {
        return await question('', nowhere);
      } finally {
        shown.write('\n');
      }
    },
  };
}
