// The first page of the site: what Pilothouse is, out of the README, and where to read on, out of docs/README.md.
import { rewriteLinks } from './markdown.ts';
import { createAddresses, readDocument } from './pages.ts';

export type Home = { tagline: string; fields: Record<string, unknown>; body: string };

const picture = (theme: 'light' | 'dark', hiddenIn: string) =>
  `<img class="${hiddenIn} home-picture" src="/pictures/console/session-${theme}.png" width="1440" height="900" alt="The console: the live browser of a task with the agent's last action marked, who drives under it, the steps on the right, and a time axis">`;

export function readHome(): Home {
  const addressOf = createAddresses();
  const readme = readDocument('README.md');
  const [, lead = ''] = /^# .+\n+([\s\S]*?)\n\n/.exec(readme) ?? [];
  const [, why = ''] = /^## Why this one\n+([\s\S]*?)\n\n(?!- )/m.exec(readme) ?? [];
  const [, readers = ''] = /^# .+\n+([\s\S]*?)\n\n(?!\|)/.exec(readDocument('docs/README.md')) ?? [];
  if (!lead || !why || !readers)
    throw new Error('the README or docs/README.md has lost a part that the home page shows');
  const tagline = lead.replaceAll('\n', ' ').replace(/^Pilothouse is a/, 'A');
  const body = [
    picture('light', 'dark:sl-hidden'),
    picture('dark', 'light:sl-hidden'),
    '## Why this one',
    rewriteLinks(why, 'README.md', addressOf),
    '## By reader',
    rewriteLinks(readers, 'docs/README.md', addressOf),
    'For programs that read: [llms.txt](/llms.txt), [llms-full.txt](/llms-full.txt), [SKILL.md](/SKILL.md) and [openapi.json](/openapi.json).',
  ].join('\n\n');
  const actions = [
    { text: 'First task', link: '/start/first-task/', icon: 'right-arrow' },
    { text: 'Install', link: '/start/install/', variant: 'minimal' },
  ];
  return {
    tagline,
    fields: { title: 'Pilothouse', description: tagline, template: 'splash', hero: { tagline, actions } },
    body,
  };
}
