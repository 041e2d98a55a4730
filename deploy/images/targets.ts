// The images and what they are called, the slowest to build first.

export const targets = ['browser', 'server', 'agent', 'migrate', 'init'] as const;
export type Target = (typeof targets)[number];

export const imageOf = (target: Target, version: string) => `pilothouse-${target}:${version}`;

/** What `docker build` is told, at the root of a checkout. */
export const buildArguments = (target: Target, version: string) => [
  '--file=deploy/images/Dockerfile',
  `--target=${target}`,
  `--tag=${imageOf(target, version)}`,
  '.',
];
