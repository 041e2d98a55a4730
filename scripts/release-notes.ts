// The changelog of a release: what CHANGELOG.md has under Unreleased, and the sentences of the changesets. Pure.

export type Change = { bump: 'major' | 'minor' | 'patch'; text: string };

const headings = { major: 'Breaking', minor: 'Added', patch: 'Fixed' } as const;
const order = ['Breaking', 'Added', 'Fixed'];

/** A file of .changeset: packages with the kind of change between two lines of dashes, then the sentence. */
export function readChangeset(text: string): Change {
  const [, head = '', body = ''] = /^---\n([\s\S]*?)^---\n+([\s\S]*)$/m.exec(text) ?? [];
  const bumps = [...head.matchAll(/: *(major|minor|patch) *$/gm)].map(([, bump]) => bump as Change['bump']);
  const bump = (['major', 'minor', 'patch'] as const).find((one) => bumps.includes(one));
  if (!bump || !body.trim())
    throw new Error(`a changeset names a package, a kind and a sentence: ${text.slice(0, 120)}`);
  return { bump, text: body.trim().replaceAll('\n', '\n  ') };
}

/** Moves what is unreleased below the version, breaking changes first, and leaves an empty section for what comes next. */
export function withRelease(
  changelog: string,
  changes: Change[],
  { version, date }: { version: string; date: string },
) {
  const [before = '', rest] = changelog.split(/^## Unreleased\n/m);
  if (rest === undefined) throw new Error('CHANGELOG.md has no section for what is unreleased');
  const [unreleased = '', ...older] = rest.split(/^(?=## )/m);
  const parts = new Map<string, string>();
  for (const part of unreleased.split(/^(?=### )/m)) {
    const [, title, body = ''] = /^### (.+)\n([\s\S]*)$/.exec(part) ?? [];
    if (title) parts.set(title, body.trim());
  }
  for (const { bump, text } of changes) {
    const title = headings[bump];
    parts.set(title, [parts.get(title), `- ${text}`].filter(Boolean).join('\n'));
  }
  const place = (title: string) => (order.includes(title) ? order.indexOf(title) : order.length);
  const told = [...parts].toSorted(([one], [other]) => place(one) - place(other));
  const section = told.map(([title, body]) => `### ${title}\n\n${body}\n`).join('\n');
  return `${before}## Unreleased\n\n## ${version} (${date})\n\n${section}${older.length > 0 ? '\n' : ''}${older.join('')}`;
}
