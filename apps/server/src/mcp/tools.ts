// The table of tools, and the list of them that clients get. At most 12 tools and 8 KB: a client sends the list to its model with
// every turn.

import type { Tool as ListedTool } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { pageTools } from './page-tools.ts';
import { sessionTools } from './session-tools.ts';
import { taskTools } from './task-tools.ts';
import type { Tool } from './tool.ts';

const all: Tool[] = [...taskTools, ...sessionTools, ...pageTools];

export const toolsByName = new Map(all.map((tool) => [tool.name, tool]));

export const toolList: ListedTool[] = all.map(({ name, description, input, annotations }) => {
  const { $schema: _, ...schema } = z.toJSONSchema(input, { io: 'input' });
  return { name, description, inputSchema: schema as ListedTool['inputSchema'], annotations };
});
