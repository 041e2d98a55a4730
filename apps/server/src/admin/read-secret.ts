import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';

type Input = NodeJS.ReadableStream & { isTTY?: boolean };

/** The first line of the input; typed at a terminal, it is asked for and not shown. Nothing, where none comes. */
export async function readSecret(input: Input, terminal: NodeJS.WritableStream, question: string): Promise<string> {
  const isAsked = input.isTTY === true;
  if (isAsked) terminal.write(question);
  // The echo goes here instead of to the screen.
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input, output: nowhere, terminal: isAsked });
  try {
    for await (const line of lines) return line;
    return '';
  } finally {
    lines.close();
    if (isAsked) terminal.write('\n');
  }
}
