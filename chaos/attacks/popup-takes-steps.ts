import { setTimeout as sleep } from 'node:timers/promises';
import type { Attack, AttackResult } from './attack.ts';
import { visitWithFrames } from './hostile-frame.ts';

const frames = {
  popup: `<script>setTimeout(() => window.open('{there}/phish'), 200)</script>`,
  'popup-without-opener': `<script>setTimeout(() => window.open('{there}/phish', '_blank', 'noopener'), 200)</script>`,
  calm: '<p>An advertisement</p>',
};

/** A frame opens a page that looks like the one around it, by a timer. What steps do next is meant for the one around it. */
export const popupTakesSteps: Attack = {
  name: 'popup-takes-steps',
  what: 'a frame of another site opens a page by itself, which is given the steps that follow',
  sharing: 'beside others',
  run: (size) =>
    visitWithFrames(size, frames, async ({ client, run, urlWith, here, there }) => {
      const rounds = size.isSmall ? 1 : 10;
      const reached: string[] = [];
      const broken: string[] = [];
      for (let round = 0; round < rounds; round += 1) {
        for (const name of Object.keys(frames)) {
          [here.length, there.length] = [0, 0];
          const secret = `hunter${round}`;
          const { status, error, sessionId } = await run([
            { action: 'navigate', url: urlWith(name) },
            { action: 'wait', for: { secs: 1 } },
            { action: 'type', target: 'Your password', text: secret },
            { action: 'click', target: 'Log in' },
          ]);
          await sleep(300);
          for (const text of there)
            if (text.includes(secret) || text.startsWith('click')) reached.push(`${name}: ${text}`);
          const isDone = here.includes(`input ${secret}`) && here.includes('click log in');
          if (!isDone && (name === 'calm' || there.length === 0)) broken.push(`${name}: ${status}: ${error}`);
          await client.deleteSession({ id: sessionId });
        }
      }
      const result: AttackResult = { tried: rounds * 2, reached, broken };
      return result;
    }),
};
