// Holds the directions of imports. npm does not: any workspace finds any other in node_modules, silently.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { cruise, type IForbiddenRuleType, type IRegularForbiddenRuleType } from 'dependency-cruiser';
import { root } from './dev/place.ts';

/** For each workspace, the workspaces it may import. */
const allowed = {
  'packages/contract': [],
  'packages/process': [],
  'packages/store': ['packages/contract'],
  'packages/bus': ['packages/contract'],
  'packages/sdk': ['packages/contract'],
  // The SDK only for the page it serves to browsers.
  'apps/server': ['packages/contract', 'packages/store', 'packages/bus', 'packages/process', 'packages/sdk'],
  'apps/agent': ['packages/contract', 'packages/store', 'packages/bus', 'packages/process'],
  // The hands hold no secrets: no store.
  'apps/browser': ['packages/contract', 'packages/bus', 'packages/process'],
};

/** Each outside thing has one home, also where npm puts its files inside a workspace. */
const homes = {
  '(^|/)node_modules/(pg|kysely)/': ['packages/store'],
  '(^|/)node_modules/@nats-io/': ['packages/bus'],
  '(^|/)node_modules/@dbos-inc/': ['packages/store', 'apps/agent'],
  '(^|/)node_modules/playwright': ['apps/browser'],
  '(^|/)node_modules/(fastify|@fastify|@scalar)': ['apps/server'],
};

/** Within the server, areas lean one way. */
const serverAreas = ['chat', 'tasks', 'sessions', 'auth'];

/** Tests, and what only they use, may reach wider. */
const tests = '^(packages|apps)/[^/]+/testing/|^(scripts|chaos|e2e|bench)/';

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
  ...serverAreas
    .slice(1)
    .map((area, index) =>
      forbid(
        `server/${area} leans down`,
        { path: `^apps/server/src/${area}/`, pathNot: tests },
        { path: serverAreas.slice(0, index + 1).map((above) => `^apps/server/src/${above}/`) },
      ),
    ),
];

type Ends = IRegularForbiddenRuleType;

const { output } = await cruise(
  ['packages', 'apps', 'scripts', 'chaos', 'e2e', 'bench'],
  {
    baseDir: root,
    ruleSet: { forbidden: rules },
    validate: true,
    // With TypeScript 7 the default parser sees no imports at all, and reports that in green.
    parser: 'swc',
    doNotFollow: { path: 'node_modules' },
    // Tests lean on everything and nothing leans on them; the parser knows no `using` yet, which they like.
    exclude: { path: '/dist/|\\.test\\.ts$' },
  },
  {
    exportsFields: ['exports'],
    conditionNames: ['import', 'node', 'default', 'types'],
    extensions: ['.ts', '.js', '.json', '.d.ts'],
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
const unknown = ['packages', 'apps']
  .flatMap((folder) => readdirSync(join(root, folder)).map((name) => `${folder}/${name}`))
  .filter((workspace) => !(workspace in allowed));
for (const workspace of unknown) console.error(`imports: ${workspace} is not in the table of scripts/imports.ts`);
if (violations.length > 0 || unknown.length > 0) process.exitCode = 1;

function forbid(name: string, from: Ends['from'], to: Ends['to']): IForbiddenRuleType {
  return { name, severity: 'error', from, to };
}
