// The settings files of agents that can start an MCP server: where each is, and how it names one.

import { join } from 'node:path';
import type { mcpTargets } from '../arguments/commands.ts';

export type TargetName = (typeof mcpTargets)[number];
export type Target = {
  title: string;
  file: string;
  /** `toml` files are only added to: nobody's order and comments get lost. */
  format: 'json' | 'toml';
  /** The key under which servers are named. */
  under: string;
  /** Whether an entry says how it is spoken to. */
  hasType?: true;
};
type Places = { homeDir: string; projectDir: string; configDir: string };

/** `configDir` is where this system keeps the settings of programs of a user. */
export const targetOf = (name: TargetName, { homeDir, projectDir, configDir }: Places): Target =>
  (
    ({
      'claude-code': { title: 'Claude Code', file: join(projectDir, '.mcp.json'), format: 'json', under: 'mcpServers' },
      'claude-desktop': {
        title: 'Claude Desktop',
        file: join(configDir, 'Claude/claude_desktop_config.json'),
        format: 'json',
        under: 'mcpServers',
      },
      cursor: { title: 'Cursor', file: join(homeDir, '.cursor/mcp.json'), format: 'json', under: 'mcpServers' },
      vscode: {
        title: 'VS Code',
        file: join(projectDir, '.vscode/mcp.json'),
        format: 'json',
        under: 'servers',
        hasType: true,
      },
      gemini: {
        title: 'Gemini CLI',
        file: join(homeDir, '.gemini/settings.json'),
        format: 'json',
        under: 'mcpServers',
      },
      windsurf: {
        title: 'Windsurf',
        file: join(homeDir, '.codeium/windsurf/mcp_config.json'),
        format: 'json',
        under: 'mcpServers',
      },
      codex: { title: 'Codex', file: join(homeDir, '.codex/config.toml'), format: 'toml', under: 'mcp_servers' },
    }) satisfies Record<TargetName, Target>
  )[name];

/** Where programs of a user keep their settings on this system. */
export const settingsDir = (homeDir: string, xdgDir: string, platform: NodeJS.Platform): string =>
  platform === 'darwin' ? join(homeDir, 'Library/Application Support') : xdgDir;
