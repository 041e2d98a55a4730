// A parser of server-sent events.

export type SseParser = {
  /** Takes the next bytes, split anywhere, and returns the data of every message that is now complete. */
  push(bytes: Uint8Array): string[];
  /** Where to resume: the id of the last complete message that had one. */
  readonly lastId: string | undefined;
  /** How long the server asks to wait before reconnecting. */
  readonly retryMs: number | undefined;
};

/**
 * Parses as the HTML standard defines it. The `event:` field is ignored, because the data says the same. An incomplete
 * message at the end is dropped with its id, so that resuming repeats all of it.
 */
export function createSseParser(): SseParser {
  const decoder = new TextDecoder();
  let line = '';
  let endedInCr = false;
  let data: string[] = [];
  let id: string | undefined;
  let lastId: string | undefined;
  let retryMs: number | undefined;

  const take = (field: string, value: string) => {
    if (field === 'data') data.push(value);
    else if (field === 'id' && !value.includes('\0')) id = value;
    else if (field === 'retry' && /^\d{1,9}$/.test(value)) retryMs = Number(value);
  };

  const endLine = (whole: string): string | undefined => {
    if (whole === '') {
      const message = data.length > 0 ? data.join('\n') : undefined;
      if (id !== undefined) lastId = id || undefined;
      data = [];
      return message;
    }
    const colon = whole.indexOf(':');
    if (colon === -1) take(whole, '');
    else if (colon > 0) take(whole.slice(0, colon), whole.slice(colon + 1).replace(/^ /, ''));
    return undefined;
  };

  return {
    push(bytes) {
      const messages: string[] = [];
      let text = decoder.decode(bytes, { stream: true });
      if (text === '') return messages;
      // A line that ended in CR is over; the LF of its CRLF may come with the next bytes.
      if (endedInCr && text.startsWith('\n')) text = text.slice(1);
      endedInCr = text.endsWith('\r');
      const [first = '', ...others] = text.split(/\r\n|\r|\n/);
      line += first;
      for (const next of others) {
        const message = endLine(line);
        if (message !== undefined) messages.push(message);
        line = next;
      }
      return messages;
    },
    get lastId() {
      return lastId;
    },
    get retryMs() {
      return retryMs;
    },
  };
}
