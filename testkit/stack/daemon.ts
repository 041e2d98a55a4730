// Processes of stacks, for tests and scripts that wait for them.
export { startTime, until } from '@pilothouse/stack/services/daemon';
