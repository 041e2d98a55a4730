// Every link, picture, script and style sheet of a built site has to lead to a file of it, and every fragment to an id there.
// Says also where a page would load something from another host. Reads files only.
import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

type PageLinks = { ids: Set<string>; links: string[]; loads: string[] };

const entities: Record<string, string> = {
  '&#x26;': '&',
  '&#38;': '&',
  '&amp;': '&',
  '&quot;': '"',
  '&#x27;': "'",
  '&#39;': "'",
};
const decode = (text: string) => text.replaceAll(/&[#\w]+;/g, (entity) => entities[entity] ?? entity);
const valuesOf = (html: string, pattern: RegExp) => [...html.matchAll(pattern)].map(([, value = '']) => decode(value));

function readPage(html: string): PageLinks {
  // Code that is shown may look like tags; it is escaped, and so it does not.
  const links = valuesOf(html, /<a\b[^>]*?\shref="([^"]*)"/g);
  const loads = [
    ...valuesOf(html, /<(?:img|script|source|iframe|video|audio)\b[^>]*?\ssrc="([^"]*)"/g),
    ...valuesOf(html, /<link\b(?![^>]*rel="canonical")[^>]*?\shref="([^"]*)"/g),
    ...valuesOf(html, /<(?:img|source)\b[^>]*?\ssrcset="([^"]*)"/g).flatMap((set) =>
      set.split(',').map((one) => one.trim().split(/\s+/)[0] ?? ''),
    ),
  ];
  return { ids: new Set(valuesOf(html, /\sid="([^"]*)"/g)), links, loads };
}

/** Sentences about what is wrong; none if nothing is. */
export function deadLinks(folder: string): string[] {
  const files = globSync('**/*.html', { cwd: folder });
  const pages = new Map(files.map((file) => [file, readPage(readFileSync(join(folder, file), 'utf8'))]));
  const sheets = globSync('**/*.css', { cwd: folder }).flatMap((file) =>
    valuesOf(readFileSync(join(folder, file), 'utf8'), /url\(\s*["']?([^"')]+)["']?\s*\)|@import\s+["']https?:/g)
      .filter((url) => /^(https?:)?\/\//.test(url))
      .map((url) => `${file} loads ${url} from another host`),
  );
  return [...[...pages].flatMap(([file, page]) => faultsOf(folder, file, page, pages)), ...sheets];
}

function faultsOf(folder: string, file: string, page: PageLinks, pages: Map<string, PageLinks>): string[] {
  const base = new URL(`http://site.test/${file.replace(/index\.html$/, '')}`);
  const isOutside = (url: URL) => url.origin !== base.origin;
  const strange = page.loads
    .filter((target) => !target.startsWith('data:') && isOutside(new URL(target, base)))
    .map((target) => `${file} loads ${target} from another host`);
  const dead = [...page.links, ...page.loads].filter((target) => {
    const url = new URL(target, base);
    if (isOutside(url) || /^(data|mailto|javascript):/.test(target)) return false;
    const found = fileOf(folder, decodeURIComponent(url.pathname));
    if (!found) return true;
    const fragment = decodeURIComponent(url.hash.slice(1));
    return fragment !== '' && fragment !== '_top' && pages.has(found) && !pages.get(found)?.ids.has(fragment);
  });
  return [...strange, ...dead.map((target) => `${file} leads to ${target}, which is not there`)];
}

function fileOf(folder: string, path: string): string | undefined {
  const plain = path.slice(1);
  const tries = path.endsWith('/') ? [`${plain}index.html`] : [plain, `${plain}/index.html`];
  return tries.find((one) => existsSync(join(folder, one)) && statSync(join(folder, one)).isFile());
}
