// A bus on which a test answers for the hosts. Only requests are there; whatever else is used fails the test.

import type { Bus, HostCommand, HostReply, RequestResult, SessionCommand } from '@pilothouse/bus';

type HostAnswer = HostReply | 'no_responders' | 'timeout';
type FileAnswer = { head: object; body: Uint8Array } | 'no_responders';
export type Hosts = {
  host?: (hostId: string, message: HostCommand) => HostAnswer | Promise<HostAnswer>;
  session?: (
    hostId: string,
    message: SessionCommand,
  ) => { head: object; body: Uint8Array } | 'no_responders' | 'timeout';
  file?: (hostId: string, packed: { head: Record<string, unknown>; body: Uint8Array }) => FileAnswer;
};

const noResult = (reason: 'no_responders' | 'timeout') =>
  ({ ok: false, reason, mayHaveActed: reason === 'timeout' }) as const;

/** `asked` tells what the hosts were asked, in order. */
export function scriptBus(hosts: Hosts) {
  const asked: string[] = [];
  async function request(
    { name }: { name: string },
    { host_id }: { host_id: string },
    message: { type?: string; head?: { type: string } },
  ): Promise<RequestResult<unknown>> {
    asked.push(`${host_id} ${message.type ?? message.head?.type}`);
    const handler = { 'host command': hosts.host, 'session command': hosts.session, 'file command': hosts.file }[name];
    if (!handler) throw new Error(`no host answers a ${name}`);
    // Each handler is given the messages of its own definition.
    const answer = await (handler as (hostId: string, sent: unknown) => unknown)(host_id, message);
    return answer === 'no_responders' || answer === 'timeout' ? noResult(answer) : { ok: true, reply: answer };
  }
  // Only what is used of it.
  const neverBroke = { isConnected: () => true, steadyForMs: () => Number.POSITIVE_INFINITY };
  return { bus: { request, ...neverBroke } as unknown as Bus, asked };
}
