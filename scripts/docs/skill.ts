// SKILL.md for agents: what docs/site/skill.md says, with the tools of the MCP server and the commands as they are.
import { usageOf } from '../../apps/cli/src/arguments/command.ts';
import { commands } from '../../apps/cli/src/arguments/commands.ts';
import { toolList } from '../../apps/server/src/mcp/tools.ts';
import { readDocument } from './pages.ts';
import { tableOf } from './schema-words.ts';

export function readSkill(): string {
  const tools = toolList.map(({ name, description = '', inputSchema }) => {
    const fields = Object.keys(inputSchema.properties ?? {}).map((field) => `\`${field}\``);
    return [`\`${name}\``, description, fields.join(', ')];
  });
  const parts: Record<string, string> = {
    '{tools}': tableOf(['Tool', 'Does', 'Takes'], tools),
    '{commands}': tableOf(
      ['Command', 'Does'],
      commands.map((command) => [`\`pilothouse ${usageOf(command)}\``, command.what]),
    ),
  };
  return Object.entries(parts).reduce((text, [mark, part]) => {
    if (!text.includes(`\n${mark}\n`)) throw new Error(`docs/site/skill.md has no line ${mark}`);
    return text.replace(mark, () => part);
  }, readDocument('docs/site/skill.md'));
}
