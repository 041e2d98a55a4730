// Which documents of the repository are pages of the site, at which addresses, and in which order they are listed.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../testkit/stack/folders.ts';
import { type AddressOf, plainText, rewriteLinks, splitDocument } from './markdown.ts';

export type Page = { source: string; slug: string; title: string; description: string; body: string };
export type SidebarGroup = { label: string; collapsed?: boolean; items: (string | { label: string; slug: string })[] };

/** Folders below docs, in the order of the sidebar. */
export const sections = {
  start: 'Start',
  guides: 'Guides',
  operate: 'Operate',
  develop: 'Develop',
  decisions: 'Decisions',
} as const;

/** Documents that lie elsewhere. */
const others: Record<string, string> = {
  'SECURITY.md': 'operate/security',
  'CHANGELOG.md': 'operate/changelog',
  'CONTRIBUTING.md': 'develop/contributing',
  'docs/pictures/console/README.md': 'develop/pictures',
};
const home = ['README.md', 'docs/README.md'];

export const readDocument = (path: string) => readFileSync(join(root, path), 'utf8');

const sources = (): string[] => [
  ...Object.keys(sections).flatMap((section) => globSync(`docs/${section}/*.md`, { cwd: root }).toSorted()),
  ...Object.keys(others),
];

const slugOf = (source: string): string =>
  others[source] ?? source.replace(/^docs\//, '').replace(/(\/README)?\.md$/, '');

/** Pages and pictures have addresses; other files of the repository have none. */
export function createAddresses(): AddressOf {
  const pages = new Map(sources().map((source) => [source, `/${slugOf(source)}/`]));
  for (const source of home) pages.set(source, '/');
  return (path) => pages.get(path) ?? (path.startsWith('docs/pictures/') ? path.replace(/^docs/, '') : undefined);
}

export function readPages(): Page[] {
  const addressOf = createAddresses();
  return sources().map((source) => {
    const { title, description, body } = splitDocument(readDocument(source));
    return { source, slug: slugOf(source), title, description, body: rewriteLinks(body, source, addressOf) };
  });
}

/** The order and the words of docs/README.md, which lists what there is by reader; what it does not list comes last. */
export function sidebarOf(pages: Page[], reference: { slug: string; title: string }[]): SidebarGroup[] {
  const listed = listedSlugs();
  const groups = Object.entries(sections).map(([section, label]) => {
    const own = pages.filter(({ slug }) => slug === section || slug.startsWith(`${section}/`));
    const place = (slug: string) => (listed.has(slug) ? [...listed.keys()].indexOf(slug) : listed.size);
    const items = own
      .toSorted((one, other) => place(one.slug) - place(other.slug))
      .map(({ slug, title }) => ({ label: labelOf(listed.get(slug) ?? title), slug }));
    return { label, items, ...(section === 'decisions' && { collapsed: true }) };
  });
  const referenceGroup = { label: 'Reference', items: reference.map(({ slug, title }) => ({ label: title, slug })) };
  return [...groups.slice(0, 3), referenceGroup, ...groups.slice(3)];
}

const labelOf = (words: string) => words.charAt(0).toUpperCase() + words.slice(1);

export function listedSlugs(): Map<string, string> {
  const links = readDocument('docs/README.md').matchAll(/\[([^\]]+)\]\(([^)#]+)\)/g);
  return new Map(
    [...links].map(([, words = '', target = '']) => {
      const source = target.startsWith('../') ? target.slice(3) : `docs/${target}`;
      return [slugOf(source), plainText(words)];
    }),
  );
}
