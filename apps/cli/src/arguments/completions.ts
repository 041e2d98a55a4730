// Completions for shells, out of the table of commands. They call nothing: a shell that completes never waits for a server.

import { type Command, optionsOf } from './command.ts';
import { commands, type shells } from './commands.ts';

export const completionsOf = (shell: (typeof shells)[number]): string => ({ bash, zsh, fish })[shell]();

const every: readonly Command[] = commands;
const topNames = () => [...new Set(every.map(({ name }) => name.split(' ')[0] ?? ''))];
const under = (top: string) =>
  every.flatMap(({ name }) => (name.startsWith(`${top} `) ? [name.slice(top.length + 1)] : []));
const flagsOf = (command: Command) =>
  Object.entries(optionsOf(command)).flatMap(([name, { short }]) => [`--${name}`, ...(short ? [`-${short}`] : [])]);
const namesFile = ({ args, options }: Command) =>
  args.some(({ isFile }) => isFile) || Object.values(options).some(({ isFile }) => isFile);
const argumentChoices = ({ args }: Command) => args.flatMap(({ choices = [] }) => choices);

function bash(): string {
  const choices = every.flatMap((command) =>
    Object.entries(command.options).flatMap(([name, option]) =>
      option.choices
        ? [
            `    "${command.name} --${name}") COMPREPLY=($(compgen -W "${option.choices.join(' ')}" -- "$word")); return ;;`,
          ]
        : [],
    ),
  );
  const words = every.map((command) => {
    const list = [...flagsOf(command), ...under(command.name), ...argumentChoices(command)].join(' ');
    const files = namesFile(command) ? ' $(compgen -f -- "$word")' : '';
    return `    "${command.name}") COMPREPLY=($(compgen -W "${list}" -- "$word")${files}) ;;`;
  });
  return `# Completions of pilothouse for bash.
_pilothouse() {
  local word=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]} command=\${COMP_WORDS[1]}
  if [ "$COMP_CWORD" -eq 1 ]; then COMPREPLY=($(compgen -W "${topNames().join(' ')} --help --version" -- "$word")); return; fi
  if [ "$COMP_CWORD" -gt 2 ] && [ "$command \${COMP_WORDS[2]}" = "mcp install" ]; then command="mcp install"; fi
  case "$command $before" in
${choices.join('\n')}
  esac
  case "$command" in
${words.join('\n')}
  esac
}
complete -o filenames -F _pilothouse pilothouse
`;
}

/** Quoted for a list of zsh and fish: both end a quoted text at an apostrophe. */
const quoted = (text: string) =>
  text.replaceAll("'", '’').replaceAll('[', '(').replaceAll(']', ')').replaceAll(':', ' ');

function zsh(): string {
  const lines = every
    .filter(({ name }) => !name.includes(' '))
    .map((command) => {
      const all = [command, ...every.filter(({ name }) => name.startsWith(`${command.name} `))];
      const options = new Map(all.flatMap((one) => Object.entries(optionsOf(one))));
      const specs = [...options].map(([name, { what, type, short, choices, isFile, multiple }]) => {
        const value = type === 'boolean' ? '' : `:value:${choices ? `(${choices.join(' ')})` : isFile ? '_files' : ''}`;
        const means = `[${quoted(what)}]${value}`;
        // Either of both, once.
        return short
          ? `'(-${short} --${name})'{-${short},--${name}}'${means}'`
          : `'${multiple ? '*' : ''}--${name}${means}'`;
      });
      const firsts = [...under(command.name), ...argumentChoices(command)];
      const words =
        firsts.length > 0 ? ` '1:word:(${firsts.join(' ')})'` : namesFile(command) ? " '*:file:_files'" : '';
      return `    ${command.name}) _arguments ${specs.join(' ')}${words} ;;`;
    });
  const names = every.flatMap(({ name, what }) => (name.includes(' ') ? [] : [`'${name}:${quoted(what)}'`]));
  return `#compdef pilothouse
_pilothouse() {
  local -a commands=(${names.join(' ')})
  if (( CURRENT == 2 )); then _describe command commands; return; fi
  local name=$words[2]
  shift words; (( CURRENT-- ))
  case $name in
${lines.join('\n')}
  esac
}
if [ "$funcstack[1]" = _pilothouse ]; then _pilothouse "$@"; else compdef _pilothouse pilothouse; fi
`;
}

function fish(): string {
  const noCommand = `not __fish_seen_subcommand_from ${topNames().join(' ')}`;
  const tops = every.flatMap(({ name, what }) =>
    name.includes(' ') ? [] : [`complete -c pilothouse -n '${noCommand}' -f -a ${name} -d '${quoted(what)}'`],
  );
  const options = every.flatMap((command) => {
    const seen = command.name
      .split(' ')
      .map((word) => `__fish_seen_subcommand_from ${word}`)
      .join('; and ');
    const firsts = [...under(command.name), ...argumentChoices(command)];
    return [
      ...Object.entries(optionsOf(command)).map(([name, { short, type, choices, isFile, what }]) => {
        const value = type === 'boolean' ? '' : choices ? ` -x -a '${choices.join(' ')}'` : isFile ? ' -r' : ' -x';
        return `complete -c pilothouse -n '${seen}' -l ${name}${short ? ` -s ${short}` : ''}${value} -d '${quoted(what)}'`;
      }),
      ...(firsts.length > 0 ? [`complete -c pilothouse -n '${seen}' -f -a '${firsts.join(' ')}'`] : []),
    ];
  });
  return `# Completions of pilothouse for fish.\n${[...tops, ...options].join('\n')}\n`;
}
