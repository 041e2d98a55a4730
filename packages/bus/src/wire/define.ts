// A definition ties a subject to the messages on it, so that both ends are checked by the same line.

import type { Codec } from './codec.ts';
import type { Subject, Tokens } from './subject.ts';
import type { Asker } from './subjects.ts';

/** Frames have a connection of their own, so that a burst of pixels never delays a command. */
export type Lane = 'control' | 'frames';

export interface MessageDefinition<Name extends string, Open extends Name, In, Out> {
  readonly name: string;
  readonly lane: Lane;
  readonly subject: Subject<Name, Open>;
  readonly body: Codec<In, Out>;
  /** What a message says about its own origin. It must agree with the subject, which permissions protect. */
  readonly claims?: (message: Out) => Partial<Tokens<Name>>;
}

export interface RequestDefinition<Name extends string, Open extends Name, In, Out, ReplyIn, ReplyOut> {
  readonly name: string;
  readonly subject: Subject<Name, Open>;
  /** Who may send the request; a reply goes to one of their inboxes and nowhere else. */
  readonly askers: (tokens: Tokens<Name>) => readonly Asker[];
  readonly request: Codec<In, Out>;
  readonly reply: Codec<ReplyIn, ReplyOut>;
  readonly claims?: (message: Out) => Partial<Tokens<Name>>;
}

export function defineMessage<Name extends string, Open extends Name, In, Out>(
  definition: MessageDefinition<Name, Open, In, Out>,
): MessageDefinition<Name, Open, In, Out> {
  return definition;
}

export function defineRequest<Name extends string, Open extends Name, In, Out, ReplyIn, ReplyOut>(
  definition: RequestDefinition<Name, Open, In, Out, ReplyIn, ReplyOut>,
): RequestDefinition<Name, Open, In, Out, ReplyIn, ReplyOut> {
  return definition;
}

export function claimsAgree<Name extends string>(tokens: Tokens<Name>, claims: Partial<Tokens<Name>> = {}): boolean {
  return Object.entries(claims).every(([name, value]) => tokens[name as Name] === value);
}
