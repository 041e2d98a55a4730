// Which sites a model may open by itself: those that people named, and those that pages of the task link to. Reads rows, and never
// what a page says in words.

import { answersOf, type DecisionRow, planItemsOf, type TaskMessageRow } from '@pilothouse/store';
import type { TaskTurn } from '../ledger/turn.ts';

/** `allow`: hosts that the rules of the task name. */
type Rows = {
  allow: readonly string[];
  messages: Pick<TaskMessageRow, 'text'>[];
  decisions: Pick<DecisionRow, 'url' | 'actions'>[];
};

/** An address, or a host with or without a port. */
const hosts =
  /(?:https?:\/\/)?((?:[\p{L}\p{N}-]+\.)+[\p{L}\p{N}-]{2,}|\d{1,3}(?:\.\d{1,3}){3}|localhost)(:\d{1,5})?/giu;

export function isKnownSite(
  address: string,
  { task, settings }: TaskTurn,
  { allow, messages, decisions }: Rows,
): boolean {
  const to = URL.parse(address);
  if (!to?.host) return true;
  const said = [
    task.prompt,
    settings.current_url ?? '',
    ...settings.constraints,
    ...messages.map(({ text }) => text),
    ...answersOf(task).map(({ text }) => text ?? ''),
    // A person agreed to it.
    ...(task.plan_agreed_at ? (planItemsOf(task) ?? []).map(({ text, site }) => `${text} ${site ?? ''}`) : []),
  ].join('\n');
  const named = [...said.matchAll(hosts)].map(([whole]) => hostOf(whole));
  const listed = [...(settings.allowed_domains ?? []), ...allow].map((name) => name.replace(/^\*\./, ''));
  const isNamed = named.some((one) => covers(one, to)) || listed.some((name) => isBelow(to.hostname, name));
  const isSeen = decisions.some(
    ({ url, actions }) => URL.parse(url ?? '')?.host === to.host || linksOf(actions).includes(to.origin),
  );
  return isNamed || isSeen;
}

const hostOf = (text: string): URL | null => URL.parse(/^https?:/i.test(text) ? text : `https://${text}`);

/** The name, and all names below it. What a person wrote without a port stands for the usual ones. */
function covers(named: URL | null, to: URL): boolean {
  if (!named || named.port !== to.port) return false;
  return isBelow(to.hostname, named.hostname);
}

const isBelow = (host: string, name: string): boolean => host === name || host.endsWith(`.${name}`);

/** Origins of links that the model was shown with a decision. Decisions of an earlier release have none. */
function linksOf(actions: unknown): string[] {
  const links = (actions as { links?: unknown } | null)?.links;
  return Array.isArray(links) ? links.filter((one): one is string => typeof one === 'string') : [];
}
