// Holds the directions of imports. npm does not: any workspace finds any other in node_modules, silently.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { cruise, type IForbiddenRuleType, type IRegularForbiddenRuleType } from 'dependency-cruiser';
import { root } from '../testkit/stack/folders.ts';
import { flatFiles, houses } from './rooms.ts';

/** For each workspace, the workspaces it may import. */
const allowed = {
  'packages/contract': [],
  'packages/process': [],
  'packages/policy': ['packages/contract'],
  // A bundle is verified without a database or a server.
  'packages/evidence': ['packages/contract'],
  'packages/store': ['packages/contract'],
  'packages/bus': ['packages/contract'],
  'packages/sdk': ['packages/contract'],
  'packages/fleet': ['packages/contract', 'packages/store', 'packages/bus'],
  // Starts the apps as programs, and imports none of them.
  'packages/stack': ['packages/bus', 'packages/process'],
  'apps/server': [
    'packages/contract',
    'packages/evidence',
    'packages/policy',
    'packages/store',
    'packages/bus',
    'packages/fleet',
    'packages/process',
  ],
  'apps/agent': [
    'packages/contract',
    'packages/policy',
    'packages/store',
    'packages/bus',
    'packages/fleet',
    'packages/process',
  ],
  // The hands hold no secrets: no store.
  'apps/browser': ['packages/contract', 'packages/policy', 'packages/bus', 'packages/process'],
  // What people see has only what every program has: the SDK, and the contract's types and tables.
  'apps/console': ['packages/contract', 'packages/sdk'],
  // The same for the command, which also verifies evidence without a server, and starts one on this machine.
  'apps/cli': ['packages/contract', 'packages/sdk', 'packages/evidence', 'packages/stack'],
};

/** Each outside thing has one home, also where npm puts its files inside a workspace. */
const homes = {
  '(^|/)node_modules/(pg|kysely)/': ['packages/store'],
  '(^|/)node_modules/(@aws-sdk|@smithy)/': ['packages/store/src/blobs'],
  '(^|/)node_modules/@nats-io/': ['packages/bus'],
  // The bare engine of a bench.
  '(^|/)node_modules/@dbos-inc/': [],
  '(^|/)node_modules/playwright': ['apps/browser'],
  // Keys of models and what vendors say stay in one room.
  '(^|/)node_modules/(ai|@ai-sdk)/': ['apps/agent/src/model'],
  '(^|/)node_modules/(fastify|@fastify|@scalar)': ['apps/server'],
  // One folder knows how spans are made; all others call its few functions.
  '(^|/)node_modules/@opentelemetry/': ['packages/process/src/tracing'],
  '(^|/)node_modules/@modelcontextprotocol/': ['apps/server/src/mcp'],
};

/** What runs the whole system or parts of it. What two of them need lies in testkit/, which imports none of them. */
const tools = ['scripts', 'chaos', 'e2e', 'bench', 'deploy'];

/** Tests, and what only they use, may reach wider. */
const tests = '^(packages|apps)/[^/]+/testing/|^(scripts|testkit|chaos|e2e|bench|deploy)/';

const rules: IForbiddenRuleType[] = [
  forbid('no cycles', {}, { circular: true }),
  forbid('nothing unresolved', {}, { couldNotResolve: true }),
  forbid('only tests use what is for testing', { pathNot: tests }, { path: '^(packages|apps)/[^/]+/testing/' }),
  // With it a file could load what no rule here sees.
  forbid('the browser host loads nothing by node:module', { path: '^apps/browser/src/' }, { path: '^(node:)?module$' }),
  ...Object.entries(allowed).map(([workspace, others]) =>
    forbid(
      `${workspace} imports ${others.length > 0 ? `only ${others.join(', ')}` : 'no other workspace'}`,
      { path: `^${workspace}/`, pathNot: tests },
      { path: '^(packages|apps)/', pathNot: [workspace, ...others].map((one) => `^${one}/`) },
    ),
  ),
  ...Object.entries(homes).map(([guest, rooms]) =>
    forbid(
      `${guest} lives in ${rooms.join(' and ')}`,
      { path: '^(packages|apps)/', pathNot: [tests, ...rooms.map((room) => `^${room}/`)] },
      { path: guest },
    ),
  ),
  ...[...tools, 'testkit'].map((tool) =>
    forbid(
      `${tool} shares nothing but testkit`,
      { path: `^${tool}/` },
      { path: tools.filter((other) => other !== tool).map((other) => `^${other}/`) },
    ),
  ),
  ...Object.entries(houses).flatMap(([house, { rooms }]) =>
    Object.entries(rooms).map(([room, { imports }]) =>
      forbid(
        `${house}/${room} imports ${imports.length > 0 ? `only ${imports.join(', ')}` : 'no other room'}`,
        { path: `^${house}/${room}/[^/]+$` },
        { path: `^${house}/`, pathNot: [room, ...imports].map((one) => `^${house}/${one}/[^/]+$`) },
      ),
    ),
  ),
];

type Ends = IRegularForbiddenRuleType;

const { output } = await cruise(
  ['packages', 'apps', 'testkit', ...tools],
  {
    baseDir: root,
    ruleSet: { forbidden: rules },
    validate: true,
    // With TypeScript 7 the default parser sees no imports at all, and reports that in green.
    parser: 'swc',
    doNotFollow: { path: 'node_modules' },
    // Tests lean on everything and nothing leans on them; the parser knows no `using` yet, which they like.
    // What we build is left out, and not the dist of what we install: the homes of many guests would go unseen with it.
    exclude: { path: '^(packages|apps)/[^/]+/dist/|\\.test\\.ts$' },
  },
  {
    exportsFields: ['exports'],
    conditionNames: ['import', 'node', 'default', 'types'],
    extensions: ['.ts', '.tsx', '.js', '.json', '.d.ts'],
  },
);
if (typeof output === 'string') throw new Error(output);
const { violations, totalCruised, totalDependenciesCruised = 0 } = output.summary;
for (const { rule, from, to } of violations) console.error(`imports: ${from} → ${to}: ${rule.name}`);
if (totalCruised < 50 || totalDependenciesCruised < 100) {
  console.error(`imports: saw ${totalCruised} files and ${totalDependenciesCruised} imports, which cannot be all`);
  process.exitCode = 1;
}
// No rule speaks of a workspace that is not in the table, so everything would be allowed to it.
const workspaces = ['packages', 'apps'].flatMap((folder) =>
  readdirSync(join(root, folder)).map((name) => `${folder}/${name}`),
);
const faults = [
  ...workspaces
    .filter((workspace) => !(workspace in allowed))
    .map((workspace) => `${workspace} is not in the table of scripts/imports.ts`),
  ...workspaces.flatMap((workspace) => faultsOfRooms(`${workspace}/src`)),
  ...unusedArrows(),
  ...crossingTests(),
];
for (const fault of faults) console.error(`imports: ${fault}`);
if (violations.length > 0 || faults.length > 0) process.exitCode = 1;

/** Files that lie loose, folders without a row, and rows without a folder. */
function faultsOfRooms(house: string): string[] {
  if (!existsSync(join(root, house))) return [];
  const files = readdirSync(join(root, house), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /(?<!\.test)\.tsx?$/.test(entry.name))
    .map((entry) => relative(join(root, house), join(entry.parentPath, entry.name)));
  const { entries, rooms } = houses[house] ?? { entries: undefined, rooms: {} };
  if (!entries && files.length <= flatFiles && files.every((file) => dirname(file) === '.')) return [];
  const folders = new Set(files.map((file) => dirname(file)));
  return [
    ...files
      .filter((file) => dirname(file) === '.' && !entries?.includes(file))
      .map((file) => `${house}/${file} lies in no room`),
    ...[...folders]
      .filter((folder) => folder !== '.' && !(folder in rooms))
      .map((folder) => `${house}/${folder} is not in the table of scripts/rooms.ts`),
    ...Object.keys(rooms)
      .filter((room) => !folders.has(room))
      .map((room) => `${house}/${room} is in the table of scripts/rooms.ts and has no files`),
  ];
}

/** The cruise leaves tests out, and most of e2e is tests: their relative imports are read as text. */
function crossingTests(): string[] {
  return tools.flatMap((tool) =>
    readdirSync(join(root, tool), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith('.test.ts'))
      .flatMap((entry) => {
        const imported = readFileSync(join(entry.parentPath, entry.name), 'utf8').matchAll(
          /^(?:import|export)\b[^;]*? from '(\.[^']+)'/gm,
        );
        return [...imported].map(([, specifier = '']) => relative(root, join(entry.parentPath, specifier)));
      })
      .filter((path) => tools.some((other) => other !== tool && path.startsWith(`${other}/`)))
      .map((path) => `a test of ${tool} imports ${path}: ${tool} shares nothing but testkit`),
  );
}

/** A permission that no import uses would let an import in later that was never decided on. */
function unusedArrows(): string[] {
  if (typeof output === 'string') return [];
  const used = new Set(
    output.modules.flatMap(({ source, dependencies }) =>
      dependencies.map(({ resolved }) => `${dirname(source)} ${dirname(resolved)}`),
    ),
  );
  return Object.entries(houses).flatMap(([house, { rooms }]) =>
    Object.entries(rooms).flatMap(([room, { imports }]) =>
      imports
        .filter((one) => !used.has(`${house}/${room} ${house}/${one}`))
        .map((one) => `${house}/${room} may import ${one} and does not`),
    ),
  );
}

function forbid(name: string, from: Ends['from'], to: Ends['to']): IForbiddenRuleType {
  return { name, severity: 'error', from, to };
}
