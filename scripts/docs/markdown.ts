// Takes a document of the repository apart for the site: title, description, links, pictures. Pure: reads and writes no file.
import { dirname, join, normalize } from 'node:path/posix';

export type Document = { title: string; description: string; body: string };
/** The address of a path of the repository in the site, or undefined if the site does not have it. */
export type AddressOf = (path: string) => string | undefined;

const mostDescription = 160;

/** The title is the first heading; what follows is the body. */
export function splitDocument(text: string): Document {
  const [, title, body] = /^# (.+)\n+([\s\S]*)$/.exec(text) ?? [];
  if (!title || body === undefined) throw new Error(`a document begins with its title: ${text.slice(0, 80)}`);
  return { title: plainText(title), description: descriptionOf(body), body };
}

/** The first paragraph that is words. */
function descriptionOf(body: string): string {
  const paragraphs = outsideFences(body, (text) => text)
    .replaceAll(/^```[\s\S]*?^```$/gm, '')
    .split(/\n{2,}/);
  const words = plainText(paragraphs.find((one) => /^[A-Z`[*]/.test(one)) ?? '');
  if (words.length <= mostDescription) return words;
  return `${words.slice(0, mostDescription).replace(/\s+\S*$/, '')} …`;
}

export const plainText = (markdown: string): string =>
  markdown
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/[`*]|^[-#>]+ /gm, '')
    .replaceAll(/\s+/g, ' ')
    .trim();

/** Applies a change to everything but blocks of code. */
export const outsideFences = (text: string, change: (part: string) => string): string =>
  text
    .split(/(^(?:```|````).*\n[\s\S]*?^(?:```|````)$)/m)
    .map((part, index) => (index % 2 === 0 ? change(part) : part))
    .join('');

/** Links and pictures to addresses of the site. A link to a file that the site does not have becomes its words. */
export function rewriteLinks(body: string, document: string, addressOf: AddressOf): string {
  return outsideFences(body, (part) =>
    part.replaceAll(/(!?)\[([^\]]*)\]\(([^)\s]+)\)/g, (whole, mark: string, words: string, target: string) => {
      if (/^[a-z]+:|^#|^\//.test(target)) return whole;
      const [path = '', anchor] = target.split('#');
      const address = addressOf(normalize(join(dirname(document), path)));
      if (address === undefined) return words;
      return `${mark}[${words}](${address}${anchor === undefined ? '' : `#${anchor}`})`;
    }),
  );
}

/** Quoted as JSON, which is YAML too. */
export const withFrontMatter = (fields: Record<string, unknown>, body: string): string => {
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
  return `---\n${lines.join('\n')}\n---\n\n${body.trim()}\n`;
};
