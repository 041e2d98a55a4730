// Steps that a program wrote need a yes before they commit a person to something. The yes holds for this one act.
import { createClient, runTask } from '@pilothouse/sdk';
import { shopUrl, token, url } from './settings.ts';

const client = createClient({ baseUrl: url, token });
const prompt = `
open ${shopUrl}
click "Add Brass lantern to basket"
type "Ada" into "Name"
click "Place order"
wait for "Thank you"
`;

const run = await runTask(
  client,
  { prompt, steps_by: 'program' },
  {
    onQuestion({ kind, approval }) {
      if (kind !== 'approval' || !approval) return undefined;
      console.log(`may it? ${approval.action}, because: ${approval.why}`);
      return 'once'; // or 'kind' (this class of act on this site, for this task), or 'no'
    },
  },
);
const { status } = await run.finished();
console.log(status);
