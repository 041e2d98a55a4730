// llms.txt and llms-full.txt: the site for programs that read, as a list and as one text. Decisions are only in the list.
import { type Page, sections } from './pages.ts';

type Listed = Pick<Page, 'slug' | 'title' | 'description' | 'body'>;

const lineOf = ({ slug, title, description }: Listed) =>
  `- [${title}](/${slug}/)${description ? `: ${description}` : ''}`;

export function llmsList(tagline: string, pages: Page[], reference: Listed[]): string {
  const parts = Object.entries(sections).map(([section, label]) => {
    const own = pages.filter(({ slug }) => slug.startsWith(`${section}/`));
    return `## ${section === 'decisions' ? 'Optional' : label}\n\n${own.map(lineOf).join('\n')}`;
  });
  const all = [...parts.slice(0, 3), `## Reference\n\n${reference.map(lineOf).join('\n')}`, ...parts.slice(3)];
  const files =
    '- [All pages but decisions in one text](/llms-full.txt)\n- [Skill for agents](/SKILL.md)\n- [OpenAPI document](/openapi.json)';
  return `# Pilothouse\n\n> ${tagline}\n\n${files}\n\n${all.join('\n\n')}\n`;
}

export function llmsFull(tagline: string, pages: Page[], reference: Listed[]): string {
  const told = [...pages.filter(({ slug }) => !/^decisions|^operate\/changelog$/.test(slug)), ...reference];
  const texts = told.map(({ slug, title, body }) => `# ${title}\n\nAddress: /${slug}/\n\n${body.trim()}`);
  return `# Pilothouse\n\n> ${tagline}\n\n${texts.join('\n\n---\n\n')}\n`;
}
