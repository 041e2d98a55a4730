// What a process of a stack gets of the environment: a list of what passes, never everything.

/** The kinds of processes of ours. */
export type Kind = 'server' | 'agent' | 'browser';
type Environment = Record<string, string | undefined>;

/** What any program may need of the shell that starts it. */
const common = ['PATH', 'HOME', 'TMPDIR', 'LANG', 'TZ', 'NODE_ENV', 'NODE_OPTIONS', 'NODE_COMPILE_CACHE'];

// The key of a receiver only by a file: that of the shell may be for other programs.
const tracing = ['OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_EXPORTER_OTLP_HEADERS_FILE', 'TRACE_RATIO'];

/**
 * The settings of each kind that a stack takes from the shell and from `.env`; the others it chooses by itself. A list
 * of what passes, and not of what is held back: the hands must hold no secrets, also none that we never heard of.
 * `NAME_*` stands for every name that begins so.
 */
const settings: Record<Kind, string[]> = {
  server: [
    'DISABLE_AUTH',
    'DISABLE_AUTH_ON_EVERY_ADDRESS',
    'PASSWORD_*',
    'ACCESS_TOKEN_*',
    'LOGIN_*',
    'REGISTER_*',
    'REGISTRATION',
    'REFRESH_*',
    'TRUSTED_PROXIES',
    'ALLOWED_HOSTS',
    'UNSENT_MB_*',
    'QUOTA_*',
    'RECORDING_MAX_*',
    'MODEL_TOKENS_PER_USER_DAY',
    'POLICY_*',
    'MODEL_COST_PER_USER_DAY',
    'WRITE_LIMIT_*',
    'INPUT_LIMIT_*',
    'LOOK_LIMIT_*',
    'STREAMS_*',
    'SERVER_DRAIN_SECS',
    'PROFILE_KEY',
    'EVIDENCE_KEY',
    'EXAMPLES',
    'DATABASE_POOL_SIZE',
    ...tracing,
    'TRACE_CALLERS',
    'LOG_LEVEL',
  ],
  agent: [
    'DATABASE_POOL_SIZE',
    'PROFILE_KEY',
    'AGENT_*',
    'HOST_LEASE_SECS',
    'HOST_MAX_SESSIONS',
    'BROWSER_IDLE_SECS',
    'QUESTION_*',
    'RECORDING_*',
    'FILES_*',
    'EVENTS_KEEP_*',
    'LOGS_KEEP_*',
    'OBSERVATIONS_KEEP_*',
    'STEPS_KEEP_*',
    'TAKEOVERS_KEEP_*',
    'AUDIT_KEEP_*',
    'LOGINS_KEEP_*',
    'QUOTA_FILE_*',
    'MODELS',
    'MODEL_PRICES',
    'MODEL_CONCURRENCY',
    'MODEL_TIMEOUT_SECS',
    'JUDGE_MODEL',
    'MODEL_TOKENS_PER_USER_DAY',
    'POLICY_*',
    'MODEL_COST_PER_USER_DAY',
    // Keys only by files: those of the shell may be for other programs.
    'MODEL_API_KEYS_FILE',
    'OPENAI_API_KEY_FILE',
    'OPENAI_BASE_URL',
    'ANTHROPIC_API_KEY_FILE',
    'ANTHROPIC_BASE_URL',
    'GOOGLE_API_KEY_FILE',
    'GOOGLE_BASE_URL',
    ...tracing,
    'LOG_LEVEL',
  ],
  browser: [
    'HOST_CAPACITY',
    'HOST_WARM',
    'HOST_KEEP_SECS',
    'HOST_DRAIN_SECS',
    'CHROMIUM_*',
    'GUARD_*',
    'SESSION_MAX_*',
    ...tracing,
    'LOG_LEVEL',
  ],
};

/** For programs that are not ours. */
export const commonEnvironment = () => pick(common);

export const environmentOf = (kind: Kind) => pick([...common, ...settings[kind]]);

function pick(names: string[]): Environment {
  const passes = (key: string) =>
    names.some((name) => (name.endsWith('*') ? key.startsWith(name.slice(0, -1)) : key === name));
  return Object.fromEntries(Object.entries(process.env).filter(([key]) => passes(key)));
}
