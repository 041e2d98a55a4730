// Generated values that are hardly those that a route asks for: text, numbers, JSON, content types.

import fc from 'fast-check';

export const oddText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom(
    '',
    '%',
    '%zz',
    '%00',
    '%2e%2e',
    '..',
    '\0',
    'ÿ',
    '\u202e',
    "'",
    '"',
    '{{',
    '-1',
    '1e999',
    'NaN',
    'null',
    '[object Object]',
  ),
  fc.string({ unit: 'grapheme', maxLength: 20 }).map(encodeURIComponentSafely),
);
export const oddNumber = fc.constantFrom(
  '1e999',
  '-1e999',
  '99999999999999999999999',
  '-0',
  '0.1',
  '9007199254740993',
  '1e-400',
  '00',
  '.5',
  '0x10',
);

/** A value that is JSON, but hardly the one that was asked for. */
export const oddJson = fc.oneof(
  fc.json({ maxDepth: 4 }),
  oddNumber,
  fc.constant('['.repeat(5000) + ']'.repeat(5000)),
  fc.constantFrom(
    'null',
    '[]',
    '""',
    '{"__proto__":{"a":1}}',
    '{"constructor":{"prototype":{}}}',
    '{"title":"\\u0000"}',
    '{"title":"\\ud800"}',
  ),
  fc
    .dictionary(
      fc.constantFrom(
        'title',
        'profile_id',
        'profile_label',
        'viewport',
        'prompt',
        'steps',
        'session_id',
        'username',
        'password',
      ),
      // Also values of the right type that name nothing.
      fc.oneof(fc.jsonValue(), fc.string(), fc.uuid(), fc.constant({ width: 0 })),
    )
    .map((value) => JSON.stringify(value)),
);
export const brokenJson = fc.tuple(fc.json(), fc.nat(30)).map(([text, cut]) => `{"title":${text.slice(0, cut)}`);
export const contentType = fc.oneof(
  { weight: 3, arbitrary: fc.constant('application/json') },
  fc.constantFrom(
    'text/plain',
    'application/xml',
    'application/json; charset=utf-16',
    'application/jsonx',
    'multipart/form-data',
    'application/x-www-form-urlencoded',
    '*/*',
    ';;;',
    '',
  ),
);

export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

export function encodeURIComponentSafely(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

/** White space and line ends would make it a different request, not an odd path. */
export function cleanPath(text: string): string {
  return text.replace(/[\s\0]/g, '_');
}
