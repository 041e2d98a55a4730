// The health check of an image: ends with 0 if the process in it says that it is ready. Asks loopback only.
const { OPS_PORT = '4001' } = process.env;
const answer = await fetch(`http://127.0.0.1:${OPS_PORT}/ready`, { signal: AbortSignal.timeout(8000) }).catch(
  () => undefined,
);
process.exit(answer?.ok ? 0 : 1);
