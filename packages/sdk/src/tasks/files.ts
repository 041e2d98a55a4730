// Files on their way to a page and from it.

import type { GivenFiles } from '@pilothouse/contract';
import type { CallOptions } from '../client/call.ts';
import type { Client } from '../client/client.ts';

/** Letters of base64 are made in parts: a call takes a limited number of arguments. */
const partBytes = 0x8000;

/** A file for `files` of a chat, which an `upload` step names, or for `choose_files` of a person who drives. */
export function giveFile(name: string, content: string | Uint8Array | ArrayBuffer): GivenFiles[number] {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : new Uint8Array(content);
  let letters = '';
  for (let at = 0; at < bytes.length; at += partBytes)
    letters += String.fromCharCode(...bytes.subarray(at, at + partBytes));
  return { name, content_base64: btoa(letters) };
}

/** The bytes of a file that a task downloaded; `result.files` lists them. */
export async function readTaskFile(
  client: Pick<Client, 'getTaskFile'>,
  input: { id: string; file_id: string },
  options?: CallOptions,
): Promise<Uint8Array> {
  const response = await client.getTaskFile(input, options);
  return new Uint8Array(await response.arrayBuffer());
}
