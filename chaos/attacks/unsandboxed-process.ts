import type { Attack } from './attack.ts';
import { areChromium, type HostUser, hostUsers, type Process, processesUnder, withLoneHost } from './lone-host.ts';

/** Draws in both ways that reach further than the renderer, and says in its title whether it worked. */
const page = `<!doctype html><title>…</title><canvas id="flat" width="20" height="20"></canvas><script>
  const flat = document.getElementById('flat').getContext('2d');
  flat.fillStyle = 'rgb(1, 200, 3)';
  flat.fillRect(0, 0, 20, 20);
  const gl = ['webgl2', 'webgl'].map((kind) => document.createElement('canvas').getContext(kind)).find(Boolean);
  gl?.clear(gl.COLOR_BUFFER_BIT);
  document.title = JSON.stringify({ flat: flat.getImageData(5, 5, 1, 1).data[1], gl: gl ? gl.getParameter(gl.VERSION) : null });
</script>`;

type ProcessFilter = { kind: string; seccomp: number; filters: number };

function seenOf({ args, status }: Process): ProcessFilter {
  const optionOf = (flag: string) => args.find((arg) => arg.startsWith(`--${flag}=`))?.slice(flag.length + 3);
  const service = optionOf('utility-sub-type')?.split('.').at(-1);
  const numberOf = (key: string) => Number(new RegExp(`^${key}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0);
  return {
    kind: [optionOf('type') ?? 'browser', service].filter(Boolean).join(' '),
    seccomp: numberOf('Seccomp'),
    filters: numberOf('Seccomp_filters'),
  };
}

export const unsandboxedProcess: Attack = {
  name: 'unsandboxed-process',
  what: 'a page uses everything that reaches another process of its Chromium, and looks for one that no filter of system calls holds',
  async run() {
    const reached: string[] = [];
    const broken: string[] = [];
    const figures: Record<string, object> = {};
    let tried = 0;

    async function attack(user: HostUser): Promise<void> {
      await withLoneHost(user, {}, async ({ pid, open }) => {
        const session = await open();
        const { acted, image } = await session.act({
          action: 'navigate',
          url: `data:text/html,${encodeURIComponent(page)}`,
        });
        const drawn = JSON.parse(acted.after.title);
        if (drawn.flat !== 200) broken.push(`as ${user}: a page cannot draw on a canvas`);
        if (image.length === 0) broken.push(`as ${user}: there is no picture of the page`);
        const seen = areChromium(await processesUnder(pid)).map(seenOf);
        tried += seen.length;
        const pages = Math.min(...seen.filter(({ kind }) => kind === 'renderer').map(({ filters }) => filters));
        for (const { kind, seccomp, filters } of seen) {
          if (seccomp !== 2) reached.push(`as ${user}: ${kind} runs with Seccomp ${seccomp}`);
          else if (kind === 'gpu-process' && filters < pages)
            reached.push(`as ${user}: ${kind} runs without the filter of Chromium itself`);
        }
        if (drawn.gl) reached.push(`as ${user}: a page draws with ${drawn.gl}`);
        const states = Object.groupBy(seen, ({ seccomp }) => `Seccomp ${seccomp}`);
        figures[user] = {
          processes: seen.length,
          ...Object.fromEntries(Object.entries(states).map(([state, list]) => [state, list?.length])),
          kinds: seen.map(({ kind, seccomp, filters }) => `${kind}: ${seccomp} (${filters})`),
          webgl: drawn.gl,
        };
      });
    }

    for (const user of hostUsers) await attack(user);
    return { tried, reached, broken, figures };
  },
};
