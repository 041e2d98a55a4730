// Holds the documents to the repository: paths, links, scenarios and settings that they name exist.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { before, describe, it } from 'node:test';
import { root } from '../testkit/stack/folders.ts';

type Names = { chaos: string[]; bench: string[]; settings: string[] };

const folders = [
  'apps',
  'packages',
  'scripts',
  'testkit',
  'chaos',
  'bench',
  'e2e',
  'deploy',
  'docs',
  'examples',
  '.ci',
];
const rooted = new RegExp(`^(?:${folders.map((name) => name.replace('.', '\\.')).join('|')})/[\\w.*/-]*`);
const fileName = /^[\w*-][\w.*/-]*\.(?:ts|sql|md|html|css|sh)$/;
const mostReadmeLines = 130;
const settingName = /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$/;
/** What is read of the environment and is not ours to set. */
const ofTheSystem = new Set(['PATH', 'NODE_ENV', 'NODE_EXTRA_CA_CERTS']);
/** Words in documents that have the form of a setting and are none. */
const otherWords = new Set([...ofTheSystem, 'TASK_ID', 'PR_SET_DUMPABLE', 'DAC_OVERRIDE', 'NET_BIND_SERVICE']);

const read = (file: string) => readFileSync(join(root, file), 'utf8');
const filesBelow = (folder: string) =>
  globSync(`${folder}/**/*`, {
    cwd: root,
    exclude: (name) => ['node_modules', 'dist'].includes(name) || name.startsWith('.'),
  });

/** Ends of paths, so that a document may say `popups.ts`, or `guard/proxy.ts`, of a file that it named the room of. */
const everyFile = [...readdirSync(root), ...folders.flatMap(filesBelow)].map((path) => `/${path}`);
const isEndOfPath = (name: string) => {
  const pattern = new RegExp(`/${name.replaceAll('.', '\\.').replaceAll('*', '[^/]*')}$`);
  return everyFile.some((path) => pattern.test(path));
};

const documents = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  ...filesBelow('docs').filter((f) => f.endsWith('.md')),
];

const fencedOf = (text: string) => [...text.matchAll(/^```\w*\n(.*?)^```$/gms)].map(([, code = '']) => code);
const spansOf = (text: string) =>
  [...text.replaceAll(/^```.*?^```$/gms, '').matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code);
const wordsOf = (text: string) =>
  [...fencedOf(text), ...spansOf(text)].flatMap((code) => code.split(/[\s,;:()"']+/)).filter(Boolean);

/** The paths that a text names, whether they exist or not. */
const pathsOf = (text: string) => [
  ...wordsOf(text).flatMap((word) => rooted.exec(word)?.[0].replace(/\.$/, '') ?? []),
  ...spansOf(text).filter((span) => fileName.test(span) && !rooted.test(span)),
];

/** What a command of ours makes. */
const built = new Set(['docs/site/dist', 'docs/site/node_modules']);

function missingPaths(text: string): string[] {
  const exists = (path: string) => {
    if (built.has(path)) return true;
    if (!rooted.test(path)) return isEndOfPath(path);
    return path.includes('*') ? globSync(path, { cwd: root }).length > 0 : existsSync(join(root, path));
  };
  return pathsOf(text).filter((path) => !exists(path));
}

const anchorsOf = (text: string) =>
  [...text.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );

function deadLinks(text: string, document: string): string[] {
  const targets = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
  return targets.filter((target) => {
    if (/^[a-z]+:/.test(target)) return false;
    const [path = '', anchor] = target.split('#');
    const file = path === '' ? join(root, document) : resolve(root, dirname(document), path);
    if (path !== '' && (!existsSync(file) || relative(root, file).startsWith('..'))) return true;
    const linked = path === '' ? text : readFileSync(file, 'utf8');
    return anchor !== undefined && !anchorsOf(linked).includes(anchor);
  });
}

function unknownScenarios(text: string, { chaos, bench }: Names): string[] {
  const code = [...fencedOf(text), ...spansOf(text)].join('\n');
  const named = [...code.matchAll(/npm run (chaos|bench) -- ([a-z-]+)((?: [a-z-]+)*)/g)];
  const runs = named.flatMap(([, kind, name = '', rest = '']) => [
    ...((kind === 'chaos' ? chaos : bench).includes(name) ? [] : [`${kind} ${name}`]),
    ...(name === 'attacks' ? rest.split(' ').filter(Boolean) : []).filter(isNoAttack),
  ]);
  // `npm run chaos -- freeze`, `-- cut`
  const further = [...code.matchAll(/^-- ([a-z-]+)$/gm)].map(([, name = '']) => name);
  const attacks = [...text.matchAll(/\battacks? ((?:`[a-z-]+`(?:, | and )?)+)/g)].flatMap(([, list = '']) =>
    spansOf(list),
  );
  return [...runs, ...further.filter((name) => !chaos.includes(name)), ...attacks.filter(isNoAttack)];
}
const isNoAttack = (name: string) => !existsSync(join(root, 'chaos/attacks', `${name}.ts`));

const unknownSettings = (text: string, { settings }: Names) =>
  wordsOf(text)
    .map((word) => word.replace(/=.*$/, ''))
    .filter((word) => settingName.test(word) && !otherWords.has(word))
    .filter((word) => !settings.includes(word) && !settings.includes(word.replace(/_FILE$/, '')))
    .filter((word) => !listedVariables().includes(word));

const faultsOf = (text: string, document: string, names: Names) => ({
  paths: missingPaths(text),
  links: deadLinks(text, document),
  scenarios: unknownScenarios(text, names),
  settings: unknownSettings(text, names),
});
const none = { paths: [], links: [], scenarios: [], settings: [] };

/** As the command itself lists them. */
function namesOf(command: string): string[] {
  const { stderr } = spawnSync(process.execPath, [join(root, command)], { encoding: 'utf8', timeout: 60_000 });
  return (/-- ([\w|-]+) /.exec(stderr)?.[1]?.split('|') ?? []).filter((name) => name !== 'all');
}

/** The first cell of each row below a heading. */
const rowsBelow = (text: string, head: string) => {
  const [, rest = ''] = text.split(`| ${head} |`);
  return [...(rest.split('\n\n')[0] ?? '').matchAll(/^\| `([a-z-]+)` \|/gm)].map(([, name = '']) => name);
};

const listedSettings = () =>
  [...read('.env.example').matchAll(/^(?:# )?([A-Z][A-Z0-9_]*)=/gm)].map(([, name = '']) => name);
/** What the compose file reads of the `.env` beside it. */
const listedVariables = () =>
  [...read('deploy/compose.yaml').matchAll(/\$\{([A-Z][A-Z0-9_]*)/g)].map(([, name = '']) => name);

/** The names in the schema of a config.ts, and those that a source reads from the environment itself. */
const declaredIn = (source: string) => [...source.matchAll(/^ {2,4}([A-Z][A-Z0-9_]*):/gm)].map(([, name = '']) => name);
const readIn = (source: string) =>
  [...source.matchAll(/process\.env\.([A-Z][A-Z0-9_]*)/g)].map(([, name = '']) => name);
const unlisted = (settings: string[], listed: string[]) =>
  settings.filter((name) => !listed.includes(name) && !ofTheSystem.has(name));

function everySetting(): string[] {
  const schemas = ['apps/*/src/config.ts', 'apps/server/src/admin.main.ts', 'packages/process/src/settings.ts'].flatMap(
    (pattern) => globSync(pattern, { cwd: root }),
  );
  const sources = [
    'packages/process/src',
    'packages/store/src',
    'packages/stack/src',
    'apps',
    'scripts',
    'testkit/stack',
  ]
    .flatMap(filesBelow)
    .filter((file) => /(?<!\.test)\.ts$/.test(file) && !file.includes('/testing/'));
  const secrets = [...read('packages/process/src/secrets.ts').matchAll(/'([A-Z][A-Z0-9_]+)'/g)];
  return [
    ...new Set([
      ...schemas.flatMap((file) => declaredIn(read(file))),
      ...sources.flatMap((file) => readIn(read(file))),
      ...secrets.map(([, name = '']) => name),
    ]),
  ];
}

/** The unscoped name on npm belongs to other people: a command that fetches it would run their program. */
const strangersPackage =
  /\b(?:npx|npm (?:i|install|exec|create)|pnpm (?:add|dlx)|yarn (?:add|dlx)|bunx|bun add)(?: +-{1,2}[\w-]+(?:=\S+)?| +--)* +pilothouse\b(?![-/])/;
const sourceFile = /\.(?:md|ts|tsx|json|sh|html)$|^scripts\/bootstrap$/;

describe('the documents', () => {
  let names: Names;
  before(() => {
    names = { chaos: namesOf('chaos/main.ts'), bench: namesOf('bench/main.ts'), settings: listedSettings() };
  });

  it('name paths, links, scenarios and settings that exist', () => {
    assert.ok(documents.length > 50, `only ${documents.length} documents`);
    const found = documents.map((document) => [document, faultsOf(read(document), document, names)] as const);
    assert.deepEqual(
      found.filter(([, faults]) => Object.values(faults).flat().length > 0),
      [],
    );
    const paths = documents.flatMap((document) => pathsOf(read(document)));
    assert.ok(paths.length > 300, `only ${paths.length} paths`);
  });

  it('are found wrong where they are', () => {
    const text = [
      'Read `apps/agent/src/tick.ts`, `wheel-of-fortune.ts`, `apps/browser/src/eyes/*.ts` and [this](nowhere.md).',
      'See [a heading](README.md#no-such-heading), or `npm run chaos -- wonders`, `npm run bench -- wonders`, `-- wonder`.',
      'Attack `tickle-the-server`. `npm run chaos -- attacks tickle-the-agent`. Set `NO_SUCH_SETTING=1`.',
      '```\napps/server/src/watchers/    sees nothing\n```',
    ].join('\n');
    assert.deepEqual(faultsOf(text, 'README.md', names), {
      paths: [
        'apps/server/src/watchers/',
        'apps/agent/src/tick.ts',
        'apps/browser/src/eyes/*.ts',
        'wheel-of-fortune.ts',
      ],
      links: ['nowhere.md', 'README.md#no-such-heading'],
      scenarios: ['chaos wonders', 'bench wonders', 'tickle-the-agent', 'wonder'],
      settings: ['NO_SUCH_SETTING'],
    });
    const right = [
      'Read `apps/agent/src/task/`, `routes.ts`, `*.service.ts`, `apps/browser/src/guard/*.test.ts` and [this](SECURITY.md).',
      'Run `npm run chaos -- freeze`, `-- cut`. attacks `popup-takes-steps`, `rebound-name`; set `NATS_PASSWORD_FILE`.',
    ].join('\n');
    assert.deepEqual(faultsOf(right, 'README.md', names), none);
  });

  it('and the sources fetch no package of other people by our name', () => {
    const files = [...readdirSync(root), ...folders.flatMap(filesBelow)].filter(
      (file) => sourceFile.test(file) && file !== 'scripts/documents.test.ts' && file !== 'package-lock.json',
    );
    assert.ok(files.length > 1000, `only ${files.length} files`);
    assert.deepEqual(
      files.filter((file) => strangersPackage.test(read(file))),
      [],
    );
    const wrong = [
      'npx pilothouse demo',
      'npx -y pilothouse',
      'npm install --global pilothouse',
      'bunx pilothouse run',
    ];
    const right = [
      'npx @pilothouse/cli demo',
      'npm install -g @pilothouse/cli',
      'npx pilothouse-cli',
      'pilothouse run',
    ];
    assert.deepEqual(
      [...wrong, ...right].filter((text) => strangersPackage.test(text)),
      wrong,
    );
  });

  it('begin with a README that is read in five minutes', () => {
    const lines = read('README.md').trimEnd().split('\n').length;
    assert.ok(lines <= mostReadmeLines, `README.md has ${lines} lines, and at most ${mostReadmeLines}`);
  });

  it('say of `.ci/run` everything that it runs', () => {
    const commands = [
      ...read('.ci/run').matchAll(
        /^(?:tool )?(scripts\/[\w.-]+)$|^(?:if .* then )?npm run --silent ([^|;\n]*[^|;\s])/gm,
      ),
    ].map(([, script, task]) => script ?? `npm run ${task}`);
    assert.ok(commands.length >= 10, `only ${commands.length} commands`);
    const [, after = ''] = read('docs/develop/testing.md').split('`.ci/run` is what has to pass');
    const [paragraph = ''] = after.split('\n\n');
    const told = spansOf(paragraph).filter((span) => /^(scripts\/|npm )/.test(span));
    assert.deepEqual(told, commands);
  });

  it('list every chaos scenario and every bench', () => {
    assert.deepEqual(rowsBelow(read('docs/develop/testing.md'), 'Scenario').sort(), names.chaos.toSorted());
    assert.deepEqual(rowsBelow(read('docs/develop/benchmarks.md'), 'Bench').sort(), names.bench.toSorted());
    assert.ok(names.chaos.length > 20 && names.bench.length > 10);
  });

  it('and .env.example lists every setting that is read, and no other', () => {
    const settings = everySetting();
    assert.ok(settings.length > 45, `only ${settings.length} settings`);
    assert.deepEqual(unlisted(settings, names.settings), []);
    assert.deepEqual(
      names.settings.filter((name) => !settings.includes(name)),
      [],
    );
    assert.match(read('.env.example'), /\bNODE_ENV\b/);
    const source =
      'const settings = z.object({\n  PORT: port,\n  NEW_LIMIT: wholeNumber(1, 9),\n});\nprocess.env.NEW_FLAG;';
    assert.deepEqual(unlisted([...declaredIn(source), ...readIn(source)], names.settings), ['NEW_LIMIT', 'NEW_FLAG']);
  });
});
