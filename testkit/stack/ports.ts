// Ports on loopback, for tests and scripts.
export { freePort, isListening } from '@pilothouse/stack/services/ports';
