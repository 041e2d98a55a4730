// A page with an advertisement in it, and things in both that bear the name of what a script means, or seem to be it.

import { createServer } from 'node:http';
import { createClient } from '@pilothouse/sdk';
import type { Attack, AttackResult, AttackSize } from './attack.ts';
import { withOpenStack } from './open-stack.ts';

/** What is shown, what a script does there, and who should get it: `honest`, or nobody. */
type Case = {
  name: string;
  /** In it, {ad} is the address of the advertisement, at another site. */
  page: string;
  ad?: string;
  lines: string[];
  /** Nobody should get it: the task looks for it in vain, and is ended after a while. */
  isForNobody?: boolean;
};

const ghostField = (label: string, style = '') =>
  `<input aria-label="${label}" type=password style="${style}" oninput="report('ghost', this.value)">`;
const honestField = (label: string, type = 'password') =>
  `<p><label>${label} <input type=${type} oninput="report('honest', this.value)"></label></p>`;
const ghostButton = (style: string, text = 'Pay') =>
  `<button style="${style}" onclick="report('ghost', 'click')">${text}</button>`;
const honestButton = (text: string) => `<p><button onclick="report('honest', 'click')">${text}</button></p>`;
const frame = (style = '') => `<iframe src="{ad}" width=400 height=120 style="${style}"></iframe>`;
const payButton = honestButton('Pay €20 now');
const over = 'position:fixed;left:0;top:300px;width:300px;height:60px;';

const attackCases: Case[] = [
  {
    name: 'a frame of another site has exactly "Password", the page has "Your password"',
    page: `${honestField('Your password')}${frame()}`,
    ad: ghostField('Password'),
    lines: ['type "hunter2" into "Password"'],
  },
  {
    name: 'a frame of another site has exactly "Password", the page has "Password *"',
    page: `${frame()}${honestField('Password *')}`,
    ad: ghostField('Password'),
    lines: ['type "hunter2" into "Password"'],
  },
  {
    name: 'a field that cannot be seen, over an advertisement, has exactly "Password"',
    page: `${frame()}${honestField('Your password')}`,
    ad: `<h1>Buy lanterns</h1>${ghostField('Password', 'opacity:0;position:fixed;inset:0')}`,
    lines: ['type "hunter2" into "Password"'],
  },
  {
    name: 'a frame that cannot be seen has exactly "Email", the page has "Your email"',
    page: `${honestField('Your email', 'email')}${frame('opacity:0;position:fixed;left:0;top:0')}`,
    ad: '<input aria-label=Email oninput="report(\'ghost\', this.value)">',
    lines: ['type "anna@example.com" into "Email"'],
  },
  {
    name: 'a frame of another site has exactly "Pay", the page has "Pay €20 now"',
    page: `${payButton}${frame()}`,
    ad: ghostButton(''),
    lines: ['click "Pay"'],
  },
  ...Object.entries({
    'opacity 0': `${over}opacity:0`,
    'opacity 0.01 around it': `${over}opacity:0.01`,
    'one pixel': 'width:1px;height:1px;padding:0;border:0;overflow:hidden;position:fixed;left:300px;top:300px',
    'white on white': `${over}color:white;background:white;border:0`,
    'clipped by a path': `${over}clip-path:inset(50%)`,
    'clipped by a circle of nothing': `${over}clip-path:circle(0)`,
    'clipped by a rectangle': `${over}clip:rect(0 0 0 0)`,
    'outside the window': 'position:fixed;right:-500px;top:300px;width:100px',
  }).map(
    ([name, style]): Case => ({
      name: `in the page, exactly "Pay" that cannot be seen: ${name}`,
      page:
        name === 'opacity 0.01 around it'
          ? `${payButton}<div style="opacity:0.1"><div style="opacity:0.1">${ghostButton(over)}</div></div>`
          : `${payButton}${ghostButton(style)}`,
      lines: ['click "Pay"'],
    }),
  ),
  {
    name: 'in the page, "Delete account" that calls itself "Pay" to those who cannot see',
    page: `${payButton}<button aria-label="Pay" onclick="report('ghost', 'click')">Delete account</button>`,
    lines: ['click "Pay"'],
  },
  {
    name: 'in the page, a field of opacity 0 has exactly "Password"',
    page: `${honestField('Your password')}${ghostField('Password', 'opacity:0;position:fixed;left:0;top:300px')}`,
    lines: ['type "hunter2" into "Password"'],
  },
  {
    name: 'only a frame of another site has "Password"',
    page: `<h1>News</h1>${frame()}`,
    ad: ghostField('Password'),
    lines: ['type "hunter2" into "Password"'],
    isForNobody: true,
  },
  {
    name: 'an advertisement comes over the button whenever the pointer does',
    page: `${payButton}<iframe src="{ad}" id=ad style="position:fixed;left:-900px;top:0;width:500px;height:100px;opacity:0"></iframe>
      <script>document.querySelector('button').addEventListener('pointermove', () => { ad.style.left = 0; setTimeout(() => { ad.style.left = '-900px' }, 400) })</script>`,
    ad: "<body onclick=\"report('ghost', 'click')\" style='height:100px'>",
    lines: ['click "Pay €20 now"'],
    isForNobody: true,
  },
];

const namedCases: Case[] = [
  {
    name: 'an advertisement calls its frame "Payment", and asks for a card',
    page: `<h1>Checkout</h1><iframe src="{ad}" title="Payment" width=400 height=120></iframe>`,
    ad: '<label>Card number <input autocomplete=cc-number oninput="report(\'ghost\', this.value)"></label>',
    lines: ['type "4111111111111111" into "Card number" in frame "Payment"'],
    isForNobody: true,
  },
  {
    name: 'an advertisement calls its frame "Payment" beside the one that is called so',
    page: `<iframe src="{ad}" title="Payment" width=400 height=90></iframe>
      <iframe srcdoc="<button>Pay</button>" title="Payment" width=400 height=90></iframe>`,
    ad: ghostButton(''),
    lines: ['click "Pay" in frame "Payment"'],
    isForNobody: true,
  },
  {
    name: 'an advertisement calls frames of its own "Payment", one of them where no script sees it',
    page: `${frame()}<iframe srcdoc="<button onclick=parent.report('honest','click')>Pay</button>" title="Payment" width=400 height=90></iframe>`,
    ad: `<div id=apart></div><div id=plain></div><script>
      const own = '<iframe title="Payment" srcdoc="<button onclick=parent.report(\\'ghost\\',\\'click\\')>Pay</button>"></iframe>';
      apart.attachShadow({ mode: 'closed' }).innerHTML = plain.innerHTML = own;</script>`,
    lines: ['click "Pay" in frame "Payment"'],
  },
];

const box = 'position:absolute;inset:0;margin:0;opacity:0;width:100%;height:100%';
const unseen = 'position:absolute;width:1px;height:1px;margin:-1px;overflow:hidden;clip:rect(0 0 0 0)';
const told = 'onchange="report(\'honest\', this.checked ?? this.value)"';

/** What honest pages do. Each must be told as often as there are lines. */
const honestCases: Case[] = [
  {
    name: 'a box drawn by styles over a real one',
    page: `<span style="position:relative;display:inline-block;width:20px;height:20px"><input type=checkbox aria-label="Select row" style="${box}" ${told}><svg width=20 height=20><rect width=20 height=20 fill=navy /></svg></span>
      <label style="position:relative"><input type=checkbox style="${unseen}" ${told}><i>☐</i> I agree</label>
      <label><input type=radio style="display:none" ${told}> By card</label>`,
    lines: ['check "Select row"', 'check "I agree"', 'check "By card"'],
  },
  {
    name: 'a list drawn by styles over a real one',
    page: `<label for=country>Country</label><select id=country style="${unseen}" ${told}><option>Peru<option>Chile</select><span style="border:1px solid">Peru ▾</span>`,
    lines: ['select "Chile" in "Country"'],
  },
  {
    name: 'white words over a picture, and an icon',
    page: `<div style="position:relative;height:200px"><div style="position:absolute;inset:0;background:linear-gradient(navy, black)"></div>
      <a href="#" style="position:absolute;left:9px;top:9px;color:white" onclick="report('honest', 'click')">Shop now</a></div>
      <button aria-label="Close" style="border:0;background:none" onclick="report('honest', 'click')"><svg width=12 height=12><path d="M0 0L12 12" stroke=black /></svg></button>`,
    lines: ['click "Shop now"', 'click "Close"'],
  },
  {
    name: 'a button far below',
    page: `<div style="height:3000px"></div>${honestButton('Far below')}`,
    lines: ['click "Far below"'],
  },
  {
    name: 'a frame of the same site',
    page: `<iframe srcdoc="<button onclick='parent.report(&quot;honest&quot;, &quot;click&quot;)'>Inside</button>"></iframe>`,
    lines: ['click "Inside"'],
  },
  {
    name: 'a frame for payments that the step names by its host',
    page: `<iframe src="{ad}" title="Card" width=400 height=120></iframe>`,
    ad: `<label>Card number <input autocomplete=cc-number oninput="report('honest', this.value)"></label>${honestButton('Keep')}`,
    lines: ['type "4111111111111111" into "Card number" in frame "localhost"', 'click "Keep" in frame "Card"'],
  },
];

type Report = { index: number; who: string; value: string };

/** The page at one site and its advertisement at another; both tell what they get. */
async function startSite(port: number) {
  const reports: Report[] = [];
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://site.test');
    const [, part = '', number = ''] = /^\/(page|ad|report)\/(\d+)$/.exec(url.pathname) ?? [];
    const one = cases[Number(number)];
    if (!one || part === '') return void response.writeHead(404).end();
    if (part === 'report') {
      const [who = '', value = ''] = [url.searchParams.get('who') ?? '', url.searchParams.get('value') ?? ''];
      reports.push({ index: Number(number), who, value });
      return void response.writeHead(204).end();
    }
    const html = part === 'page' ? one.page.replaceAll('{ad}', `${far}/ad/${number}`) : (one.ad ?? '');
    const report = `function report(who, value) { fetch('/report/${number}?who=' + who + '&value=' + encodeURIComponent(value), { keepalive: true }) }`;
    response.setHeader('content-type', 'text/html; charset=utf-8');
    response.end(`<!doctype html><script>${report}</script><body>${html}`);
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const far = `http://localhost:${port}`;
  return {
    url: `http://127.0.0.1:${port}`,
    reports,
    close: () =>
      new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      }),
  };
}

const AT_ONCE = 4;
const TASK_MS = 60_000;
/** Long enough for the one try that would reach it. */
const VAIN_MS = 8000;

const hostile = [...attackCases, ...namedCases];
const cases = [...hostile, ...honestCases];

/** Which cases one task goes through, one after the other. It ends with the first step that fails. */
function groupsOf(): number[][] {
  const groups = Map.groupBy(cases.entries(), ([index, { isForNobody, lines, name, page }]) => {
    if (isForNobody || lines.some((line) => line.includes('in frame'))) return name;
    if (/clip|right:-/.test(page)) return index < hostile.length ? 'clipped' : 'drawn over';
    if (index >= hostile.length) return 'honest';
    return page.includes('{ad}') ? 'frames' : 'unseen';
  });
  // Those that look in vain take longest.
  return [...groups.values()]
    .sort((one, other) => one.length - other.length)
    .map((group) => group.map(([index]) => index));
}

const imitateNames = (size: AttackSize): Promise<AttackResult> =>
  withOpenStack(size, async ({ baseUrl, sitePort }) => {
    const site = await startSite(sitePort);
    try {
      const client = createClient({ baseUrl });
      const errors: string[] = [];
      const run = async (group: number[]) => {
        const isVain = group.every((index) => cases[index]?.isForNobody);
        const lines = group.flatMap((index) => [
          `open ${site.url}/page/${index}`,
          ...(cases[index]?.lines ?? []),
          'wait 0.1 s',
        ]);
        try {
          const { task_id } = await client.sendChat({ prompt: lines.join('\n'), planner: 'script', max_steps: 100 });
          await ended(client, task_id, isVain ? VAIN_MS : TASK_MS);
          const { status } = await client.getTaskStatus({ id: task_id });
          if (status.status === 'running') await client.cancelTask({ id: task_id });
          if (!isVain && status.status !== 'success') errors.push(status.last_error ?? status.status);
        } catch (error) {
          if (!isVain) errors.push(String(error));
        }
      };
      const queue = groupsOf().values();
      await Promise.all(
        Array.from({ length: AT_ONCE }, async () => {
          for (const group of queue) await run(group);
        }),
      );
      return { tried: hostile.length, ...whoGot(site.reports), figures: { errors } };
    } finally {
      await site.close();
    }
  });

/** Whether the task has ended by then or not. */
async function ended(client: ReturnType<typeof createClient>, id: string, withinMs: number): Promise<void> {
  const signal = AbortSignal.timeout(withinMs);
  try {
    for await (const event of client.followTask({ id }, { signal })) if (event.type === 'end') return;
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

function whoGot(reports: Report[]): Pick<AttackResult, 'reached' | 'broken'> {
  const got = (index: number, who: string) => reports.filter((one) => one.index === index && one.who === who);
  const reached = hostile.flatMap(({ name }, index) => {
    const [first] = got(index, 'ghost');
    return first ? [`${name}: the imitation got "${first.value}"`] : [];
  });
  const broken = cases.flatMap(({ name, lines, isForNobody }, index) =>
    isForNobody || got(index, 'honest').length >= (index < hostile.length ? 1 : lines.length)
      ? []
      : [`${name}: the honest one got nothing, or not all`],
  );
  return { reached, broken };
}

export const imitatedNames: Attack = {
  name: 'imitated-names',
  what: 'a page or an advertisement in it shows, or hides, something under the name of what a script means',
  // It has several tasks at a time by itself.
  sharing: 'in turn',
  run: imitateNames,
};
