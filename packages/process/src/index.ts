export { createLog, type Log } from './log.ts';
export { type Ops, startOps } from './ops.ts';
export { type Closable, run } from './run.ts';
export { addressOf, flag, keys, logLevel, port, readSettings, SettingsError, wholeNumber } from './settings.ts';
