// No block of code in a README, docs/start, docs/guides and docs/operate that no test runs: each is taken by a test (docBlock,
// docBlocks), or is of a kind that nothing can run, which is listed here with the reason.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { type DocBlock, documentsWithBlocks, readBlocks } from '../testkit/doc-blocks.ts';
import { root } from '../testkit/stack/folders.ts';

/** What is no command, no program and no script, by its language. */
const notRun: Record<string, string> = {
  text: 'what a command prints',
  mermaid: 'a drawing',
  ebnf: 'a grammar',
};
/** Scripts are read by the parser of the server; their pages are those of the reader. */
const read = 'script';
/** Blocks of another language that nothing runs, by their first words. */
const excused: Record<string, Record<string, string>> = {
  'docs/guides/takeover.md': {
    'type DriverView': 'a type; scripts/packages.test.ts compares it with that of the published SDK',
  },
  'apps/cli/README.md': {
    'npm install --global':
      'scripts/packages.test.ts installs it by npm in a folder; e2e/guides-commands.test.ts runs the other lines as the guide has them',
  },
  'docs/operate/compose.md': {
    'npm run images': 'needs Docker, and minutes: `npm run images -- test` does it where that is',
    'mkdir installation': 'needs Docker: `npm run images -- test` makes and starts such an installation (deploy/trial)',
    'docker run --rm --network none --volume "$PWD:/out" pilothouse-init':
      'needs Docker: `npm run images -- test` renews an installation (deploy/trial); deploy/init/installation.test.ts runs `--renew`',
  },
  'docs/operate/kubernetes.md': {
    'helm install': 'needs a cluster; deploy/chart/chart.test.ts renders the chart with these values',
    'kubectl --namespace': 'needs a cluster; what it looks for is in apps/server/src/auth/invites.test.ts',
    'max by ()': 'needs a cluster with a Prometheus of its own',
  },
  'docs/operate/nats.md': {
    'NATS_URL=': 'a setting; its servers are those of a cluster on three machines',
  },
  'docs/operate/postgres.md': {
    synchronous_standby_names: 'settings of PostgreSQL; `npm run chaos -- failover` runs a primary with such',
    'scripts/postgres-versions': 'fetches other versions of PostgreSQL, and takes minutes for each',
  },
  'docs/operate/scale.md': {
    'npm run bench -- sessions': 'measures for minutes, and needs a calm machine',
    'npm run bench -- sizing':
      'measures for minutes, and needs a calm machine; bench/small-browser.test.ts has a short run of it',
  },
  'docs/operate/systemd.md': {
    'cp deploy/systemd': 'changes the machine; deploy/systemd/units.test.ts looks at the units',
    'for unit in': 'needs a machine that systemd started',
  },
  'docs/operate/tracing.md': {
    OTEL_EXPORTER_OTLP_ENDPOINT: 'a setting, which e2e/traces.test.ts sets to a receiver of its own',
  },
};

type Claim = { test: string; document: string; takes: (block: DocBlock) => boolean; words: string };

/** The calls in the text of a test: their arguments are written out. */
function claimsIn(test: string, source: string): Claim[] {
  const quoted = `('(?:[^'\\\\]|\\\\.)*'|"(?:[^"\\\\]|\\\\.)*")`;
  const calls = source.matchAll(new RegExp(`\\bdocBlock(s?)\\(\\s*${quoted},\\s*${quoted},?\\s*\\)`, 'g'));
  return [...calls].map(([, several, first = '', second = '']) => {
    const [document, words] = [unquoted(first), unquoted(second)];
    const takes = (block: DocBlock) => (several ? block.language === words : block.code.startsWith(words));
    return { test, document, takes, words };
  });
}
const unquoted = (literal: string) =>
  literal.slice(1, -1).replaceAll(/\\(.)/g, (_, escaped) => (escaped === 'n' ? '\n' : escaped));

/** What is below testkit and deploy/trial runs blocks for e2e tests and for the trial of the images. */
const everyClaim = (): Claim[] =>
  globSync(['{packages,apps,scripts,e2e}/**/*.test.ts', '{testkit,deploy/trial}/**/*.ts'], {
    cwd: root,
    exclude: ['**/node_modules/**'],
  })
    .filter((test) => test !== 'scripts/doc-blocks.test.ts')
    .flatMap((test) => claimsIn(test, readFileSync(join(root, test), 'utf8')));

const excuseOf = ({ document, code, language }: DocBlock): string | undefined =>
  notRun[language] ?? Object.entries(excused[document] ?? {}).find(([begin]) => code.startsWith(begin))?.[1];

describe('the blocks of code of the documents', () => {
  const blocks = documentsWithBlocks().flatMap(readBlocks);
  const claims = everyClaim();
  const takers = (block: DocBlock) =>
    claims.filter(({ document, takes }) => document === block.document && takes(block)).map(({ test }) => test);

  it('are all run by a test, or listed with the reason why not', () => {
    assert.ok(blocks.length > 50, `only ${blocks.length} blocks`);
    // A fence in another form would hide its block.
    const fences = documentsWithBlocks().flatMap(
      (one) => readFileSync(join(root, one), 'utf8').match(/^\s*(```|~~~)/gm) ?? [],
    );
    assert.equal(fences.length, 2 * blocks.length);
    const left = blocks.filter((block) => takers(block).length === 0 && !excuseOf(block));
    assert.deepEqual(
      left.map(({ document, line, code }) => `${document}:${line} ${code.split('\n')[0]}`),
      [],
    );
    const taken = blocks.filter((block) => takers(block).length > 0);
    const ran = taken.filter(({ language, document }) => language !== read || !document.startsWith('docs/guides/'));
    console.log(
      `${blocks.length} blocks: ${ran.length} run by tests, ${taken.length - ran.length} scripts read by the parser, ${blocks.length - taken.length} not run`,
    );
    for (const block of blocks.filter((one) => takers(one).length === 0))
      console.log(`not run: ${block.document}:${block.line}: ${excuseOf(block)}`);
  });

  it('are taken by tests where they are, and excused only where they are', () => {
    const idle = claims.filter(({ document, takes }) => !readBlocks(document).some(takes));
    assert.deepEqual(
      idle.map(({ test, document, words }) => `${test} takes ${words} of ${document}`),
      [],
    );
    for (const [document, reasons] of Object.entries(excused))
      for (const begin of Object.keys(reasons))
        assert.ok(
          readBlocks(document).some(({ code }) => code.startsWith(begin)),
          `${document}: ${begin}`,
        );
  });

  it('are found where no test takes them', () => {
    const source = `run(docBlock('README.md', 'npm run demo'));\nfor (const block of docBlocks(\n  "docs/guides/mcp.md",\n  'sh',\n)) run(block);`;
    const found = claimsIn('a.test.ts', source);
    assert.deepEqual(
      found.map(({ document, words }) => [document, words]),
      [
        ['README.md', 'npm run demo'],
        ['docs/guides/mcp.md', 'sh'],
      ],
    );
    const block = { document: 'README.md', line: 1, language: 'sh', code: 'npm run demo\n' };
    assert.ok(found[0]?.takes(block));
    assert.ok(!found[0]?.takes({ ...block, code: 'npm run stack\n' }));
    assert.equal(excuseOf(block), undefined);
  });
});
