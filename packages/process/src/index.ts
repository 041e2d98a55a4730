// What every process needs: settings, log, metrics, start, stop, and rest.

export { cached } from './cached.ts';
export { refusePooler, warnOfSuperuser } from './database-checks.ts';
export { createIdleMemory } from './idle-memory.ts';
export { createLog, type Log } from './log.ts';
export { type Ops, startOps } from './ops.ts';
export { type Closable, run } from './run.ts';
export { secretSettings } from './secrets.ts';
export {
  addressOf,
  amount,
  flag,
  hostList,
  keys,
  logLevel,
  policyMode,
  policyOf,
  port,
  readSettings,
  SettingsError,
  wholeNumber,
} from './settings.ts';
