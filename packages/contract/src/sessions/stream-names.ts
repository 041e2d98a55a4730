// How streams are named in a bundle. Loaded by browsers: imports nothing.

/** The most streams that one response carries. */
export const maxBundled = 100;

/** The most positions of one stream among them: each may begin with a picture of its own, of the largest size. */
export const maxPlaces = 4;

/** The kinds of streams that a response may carry. */
export type BundledKind = 'live' | 'task' | 'inbox';

/** The id of the only inbox that a caller can follow. */
export const ownInbox = 'me';

export const spelling = /^((live|task|inbox):([^@~]{1,100})(?:~\w{1,20})?)(?:@(.{1,512}))?$/s;

/** The parts of the name of a stream in a bundle; undefined if it is not valid. */
export function readBundledStream(text: string) {
  const [, name, kind, id, cursor] = spelling.exec(text) ?? [];
  if (name === undefined || id === undefined) return undefined;
  // The spelling allows no other kind.
  return { name, kind: kind as BundledKind, id, cursor };
}
