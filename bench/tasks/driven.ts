import type { Client } from '@pilothouse/sdk';
import { until } from '../../testkit/until.ts';

type DriverInput = { action: 'click' | 'move'; x: number; y: number } | { action: 'navigate'; url: string };

/** A session without a task whose wheel a person has, and what they give to it, in order. */
export async function openDriven(client: Client) {
  const { session } = await client.createSession();
  const { id } = session;
  await client.requestSessionTakeover({ id });
  let takeoverId = '';
  await until(async () => {
    const { takeover } = (await client.getSession({ id })).snapshot;
    takeoverId = takeover?.takeover_id ?? '';
    return takeover?.status === 'active';
  }, 30_000);
  let seq = 0;
  const give = (action: DriverInput) => {
    seq += 1;
    return client.movePointer({ id, ...action, takeover_id: takeoverId, input_seq: seq });
  };
  return { id, give };
}
