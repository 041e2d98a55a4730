// How streams are named in a bundle. Loaded by browsers: imports nothing.

/** The most streams that one response carries. */
export const maxBundled = 100;

/** The most positions of one stream among them: each may begin with a picture of its own, of the largest size. */
export const maxPlaces = 4;

export const spelling = /^((live|task):([^@~]{1,100})(?:~\w{1,20})?)(?:@(.{1,512}))?$/s;

/** The parts of the name of a stream in a bundle; undefined if it is not valid. */
export function readBundledStream(text: string) {
  const [, name, kind, id, cursor] = spelling.exec(text) ?? [];
  if (name === undefined || id === undefined) return undefined;
  return { name, kind: kind === 'live' ? ('live' as const) : ('task' as const), id, cursor };
}
