// Which processes of a stack run a source file, so that they are started again when it changes.

const apps = { server: 'server-1', agent: 'agent-1', browser: 'browser-1' } as const;

/** `all`: with the schema, which only starting everything brings about. */
export function partsRunning(path: string): readonly string[] | 'all' {
  if (/^packages\/store\/src\/db\/migrations\/.*\.sql$/.test(path)) return 'all';
  if (!/\.(?:ts|json)$/.test(path) || /\.test\.ts$|\/testing\//.test(path)) return [];
  const [, kind, name = ''] = /^(apps|packages)\/([\w-]+)\/src\//.exec(path) ?? [];
  if (kind === 'packages') return Object.values(apps);
  return kind === 'apps' && name in apps ? [apps[name as keyof typeof apps]] : [];
}
