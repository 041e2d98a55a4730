// What a tool is, and what it is given: the routes of the contract for its caller, and how to wait for a task.

import type { CallToolResult, InputRequiredResult, ToolAnnotations } from '@modelcontextprotocol/server';
import type { ReplyOf, Route, TaskStatus } from '@pilothouse/contract';
import type { z } from 'zod';
import type { Pictures } from '../http/embedded.ts';
import type { InnerParts } from '../http/inner-calls.ts';
import type { ToolAnswer } from './page-words.ts';

/** What the client's user said to the question that an earlier round of this call asked. */
export type GivenAnswer = { taskId: string; askedAt: string; answer: string | undefined };

export type ToolCall = {
  /** Calls a route as the client's user. The server checks rights, limits and fields as it does for a call over HTTP. */
  call<R extends Route>(route: R, parts: InnerParts): Promise<ReplyOf<R>>;
  /** The same for a reply that has pictures. */
  callWithPictures<R extends Route>(route: R, parts: InnerParts): Promise<{ body: ReplyOf<R>; pictures: Pictures }>;
  /** Counts bytes that the answer will hold. Throws without room for them. */
  hold(bytes: number): void;
  /** The task once it has ended or waits for a person, or as it is when the time is over. */
  waitFor(taskId: string, waitMs: number): Promise<TaskStatus>;
  /** The address of a page of the console. */
  linkTo(path: string): string;
  idempotencyKey: string | undefined;
  /** Whether the client can ask its user. */
  canAsk: boolean;
  given: GivenAnswer | undefined;
};

export type Tool = {
  name: string;
  description: string;
  input: z.ZodObject;
  annotations: ToolAnnotations;
  /** The arguments are those of `input`, checked. */
  run(args: never, call: ToolCall): Promise<ToolAnswer | InputRequiredResult>;
};
export type ToolResult = CallToolResult | InputRequiredResult;

/** Keeps the type of the arguments for `run`, which a table of tools cannot. */
export const tool = <Input extends z.ZodObject>(
  definition: Omit<Tool, 'input' | 'run'> & {
    input: Input;
    run(args: z.output<Input>, call: ToolCall): Promise<ToolAnswer | InputRequiredResult>;
  },
): Tool => definition as Tool;
