// Under which key the cache has a session. Lists that rename one need the key, and not what follows its streams.

export const sessionKey = (id: string) => ['session', id] as const;
