// What a command is: its words, arguments and options. Help, completions, the guide and the parser are made of it.

export type Option = {
  type: 'string' | 'boolean';
  short?: string;
  multiple?: true;
  /** What stands for the value in help. */
  value?: string;
  /** The only values. */
  choices?: readonly string[];
  /** Whether the shell completes names of files. */
  isFile?: true;
  what: string;
};

export type Argument = { name: string; what: string; isOptional?: true; isFile?: true; choices?: readonly string[] };

export type Command = {
  /** Several words for a command of a command. */
  name: string;
  what: string;
  /** Further sentences for its own help. */
  more?: readonly string[];
  args: readonly Argument[];
  options: Readonly<Record<string, Option>>;
  examples?: readonly string[];
};

/** Every command takes these. */
export const commonOptions = {
  url: { type: 'string', value: 'URL', what: 'The server to talk to' },
  json: { type: 'boolean', what: 'Print JSON for programs' },
  help: { type: 'boolean', short: 'h', what: 'Print help' },
} as const satisfies Record<string, Option>;

export const optionsOf = ({ options }: Pick<Command, 'options'>): Record<string, Option> => ({
  ...options,
  ...commonOptions,
});

/** `run PROMPT|FILE`, `logs [TASK]`. */
export const usageOf = ({ name, args }: Pick<Command, 'name' | 'args'>): string =>
  [name, ...args.map(({ name: arg, isOptional }) => (isOptional ? `[${arg}]` : arg))].join(' ');

/** `-f, --follow`, `--session ID`. */
export const flagOf = (name: string, { short, value, choices, type }: Option): string => {
  const words = type === 'string' ? ` ${choices ? choices.join('|') : (value ?? 'TEXT')}` : '';
  return `${short ? `-${short}, ` : ''}--${name}${words}`;
};
