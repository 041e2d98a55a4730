// Reads standard input to its end.

import { CommandFailure } from '../connection/failure.ts';

export async function readInput(stdin: NodeJS.ReadableStream, mostChars: number): Promise<string> {
  let read = '';
  for await (const chunk of stdin) {
    read += chunk;
    if (read.length > mostChars) throw new CommandFailure('standard input is too long', { exit: 'usage' });
  }
  return read;
}
