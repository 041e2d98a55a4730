// One message of a guest, read strictly: what is not a command in the form of the protocol must never go on.

import type { Params } from './rules.ts';

/** `size`: the characters of its message. */
export type GuestCommand = { id: number; method: string; params: Params; sessionId?: string; size?: number };
type ErrorReply = { error: { code: number; message: string } };

const error = (code: number, message: string): ErrorReply => ({ error: { code, message } });

export const errors = {
  notJson: error(-32700, 'JSON: a message is one object'),
  noCommand: error(-32600, 'a message has an integer id, a method and, where it has them, params and a sessionId'),
  noSession: error(-32001, 'Session with given id not found.'),
  broken: error(-32603, 'the command could not be read, so nothing was done'),
  refused: (why: string): ErrorReply => error(-32000, why),
};

export function readCommand(text: string): GuestCommand | (ErrorReply & { id?: number }) {
  let message: unknown;
  try {
    message = JSON.parse(text);
  } catch {
    return errors.notJson;
  }
  if (!isObject(message)) return errors.notJson;
  const { id, method, params = {}, sessionId } = message;
  if (!Number.isSafeInteger(id)) return errors.noCommand;
  const known = { id: id as number }; // just checked
  const size = text.length;
  if (typeof method !== 'string' || !isObject(params)) return { ...known, ...errors.noCommand };
  if (sessionId === undefined) return { ...known, method, params, size };
  return typeof sessionId === 'string'
    ? { ...known, method, params, sessionId, size }
    : { ...known, ...errors.noCommand };
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
