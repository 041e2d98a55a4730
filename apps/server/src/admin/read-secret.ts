// Reads a password for the operator's command.

import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';

type Input = NodeJS.ReadableStream & { isTTY?: boolean };

/** The first line of the input, or an empty text. At a terminal it asks for it and does not show what is typed. */
export async function readSecret(input: Input, terminal: NodeJS.WritableStream, question: string): Promise<string> {
  const isTerminal = input.isTTY === true;
  if (isTerminal) terminal.write(question);
  // The echo goes here instead of to the screen.
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input, output: nowhere, terminal: isTerminal });
  try {
    for await (const line of lines) return line;
    return '';
  } finally {
    lines.close();
    if (isTerminal) terminal.write('\n');
  }
}
