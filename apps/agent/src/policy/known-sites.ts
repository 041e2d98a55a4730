// Which sites a model may open by itself: those that people named, and those that pages of the task link to. Reads rows, and never
// what a page says in words.

import type { DecisionRow } from '@pilothouse/store';
import type { TaskTurn } from '../ledger/turn.ts';
import { addressesIn } from './addresses.ts';

/** `allow`: hosts that the rules of the task name. `said`: all words of people. */
type Rows = {
  allow: readonly string[];
  said: readonly string[];
  decisions: Pick<DecisionRow, 'url' | 'actions'>[];
};

export function isKnownSite(address: string, { settings }: TaskTurn, { allow, said, decisions }: Rows): boolean {
  const to = URL.parse(address);
  if (!to?.host) return true;
  const named = addressesIn(said);
  const listed = [...(settings.allowed_domains ?? []), ...allow].map((name) => name.replace(/^\*\./, ''));
  const isNamed = named.some(({ url }) => covers(url, to)) || listed.some((name) => isBelow(to.hostname, name));
  const isSeen = decisions.some(
    ({ url, actions }) => URL.parse(url ?? '')?.host === to.host || linksOf(actions).includes(to.origin),
  );
  return isNamed || isSeen;
}

/** The name, and all names below it. What a person wrote without a port stands for the usual ones. */
function covers(named: URL, to: URL): boolean {
  if (named.port !== to.port) return false;
  return isBelow(to.hostname, named.hostname);
}

const isBelow = (host: string, name: string): boolean => host === name || host.endsWith(`.${name}`);

/** Origins of links that the model was shown with a decision. Decisions of an earlier release have none. */
function linksOf(actions: unknown): string[] {
  const links = (actions as { links?: unknown } | null)?.links;
  return Array.isArray(links) ? links.filter((one): one is string => typeof one === 'string') : [];
}
