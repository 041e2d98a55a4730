import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, createClient } from '@pilothouse/sdk';
import { type Office, startOffice } from '../../testkit/pages/office.ts';
import type { Stack } from '../../testkit/stack/stack.ts';
import type { Attack, AttackResult } from './attack.ts';
import { withOpenStack } from './open-stack.ts';

/** A payment of which nobody knows whether it was made is not taken for made, or made again, because of a vague word. */
export const anyWordCountsAsDone: Attack = {
  name: 'any-word-counts-as-done',
  what: 'a person who does not know says so, and the task goes on as if a payment had been made, or pays twice',
  sharing: 'in turn',
  run: ({ isSmall, ...size }) =>
    withOpenStack(size, async ({ stack, baseUrl, sitePort }) => {
      const office = await startOffice(sitePort);
      try {
        const client = createClient({ baseUrl });
        return await answerVaguely({ stack, office, client, words: isSmall ? vague.slice(0, 2) : vague });
      } finally {
        await office.close();
      }
    }),
};

/** None of them says which of the three it is. */
const vague = [
  'no idea',
  'Did I repeat it?',
  'I would have to look, not done yet I think',
  'do nothing',
  'Stop asking me',
];

type Parts = { stack: Stack; office: Office; client: Client; words: string[] };

async function answerVaguely({ stack, office, client, words }: Parts): Promise<AttackResult> {
  const reached: string[] = [];
  const broken: string[] = [];
  for (const word of words) {
    const { id, paid } = await interruptPayment({ stack, office, client });
    const refused = await client.signalTakeover({ id, answer: word }).then(
      () => false,
      () => true,
    );
    await settled(client, id);
    const { status } = (await client.getTaskStatus({ id })).status;
    if (status !== 'awaiting_user') reached.push(`after "${word}" the task is ${status}`);
    if (office.payments.length > paid) reached.push(`after "${word}" the payment is made again`);
    if (status !== 'awaiting_user') continue;
    if (!refused) broken.push(`"${word}" is taken, and nothing comes of it`);
    // The honest answer that follows is still heard.
    await client.signalTakeover({ id, answer: 'done' });
    await settled(client, id);
    const after = (await client.getTaskStatus({ id })).status.status;
    if (after !== 'success') broken.push(`after "done" the task is ${after}`);
    if (office.payments.length > paid) broken.push('after "done" the payment is made again');
  }
  return { tried: words.length, reached, broken };
}

/** The host dies while the page pays: that the payment arrived, only the site knows. */
async function interruptPayment({
  stack,
  office,
  client,
}: Omit<Parts, 'words'>): Promise<{ id: string; paid: number }> {
  const before = office.payments.length;
  const prompt = `open ${office.url}/pay\n!click "Pay"\nscreenshot`;
  const { task_id: id } = await client.sendChat({ prompt });
  await until('the payment', async () => office.payments.length > before);
  await stack.kill('browser-1');
  await stack.start('browser-1');
  await until('the question', async () => (await client.getTaskStatus({ id })).status.status === 'awaiting_user');
  return { id, paid: office.payments.length };
}

/** Until it has ended, or nothing has happened for a while. */
async function settled(client: Client, id: string): Promise<void> {
  const deadline = performance.now() + 3000;
  while (performance.now() < deadline) {
    if ((await client.getTaskStatus({ id })).status.finished_at !== null) return;
    await sleep(100);
  }
}

async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 30_000;
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error(`${what} did not come`);
    await sleep(20);
  }
}
