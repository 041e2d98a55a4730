// Gives files away: made by the server, made by the page, and made only after a while.
import { type Brand, page } from './look.ts';
import { html, json, pause, type Site } from './web.ts';

export type Reading = { day: string; level: number; note: string };
type DownloadData = { readings: Reading[]; reports: number };

const notes = ['calm', 'storm, “heavy”', 'brouillard épais', '霧', 'swell; from NW', 'he said "low", twice'];
const months = ['2031-01', '2031-02', '2031-03'] as const;

const brand: Brand = { name: 'Tide Gauge', colour: '#1f4e79', nav: [] };

export const download: Site<DownloadData> = {
  open: (random) => ({
    readings: months.flatMap((month) =>
      Array.from({ length: 10 + random.below(40) }, (_, index) => ({
        day: `${month}-${String(1 + (index % 28)).padStart(2, '0')}`,
        level: random.below(800) / 100,
        note: random.pick(notes),
      })),
    ),
    reports: 0,
  }),

  async answer({ method, path, here, data, query }) {
    if (path === '/') return page(brand, here, 'Readings of the tide', front());
    if (path === '/readings.csv') return csv('readings.csv', csvOf(data.readings));
    if (path === '/api/readings') {
      const { readings } = data;
      return json({ csv: csvOf(readings.filter(({ day }) => day.startsWith(query.get('month') ?? ''))) });
    }
    if (path === '/reports' && method === 'POST') {
      await pause(500);
      data.reports += 1;
      return json({ href: `reports/${data.reports}` });
    }
    return path === `/reports/${data.reports}`
      ? csv(`report-${data.reports}.csv`, csvOf(highest(data.readings)))
      : undefined;
  },
};

/** The table as it is given away. */
export const csvOf = (readings: Reading[]): string =>
  [
    'day,level,note',
    ...readings.map(({ day, level, note }) => `${day},${level},"${note.replaceAll('"', '""')}"`),
    '',
  ].join('\r\n');

export const highest = (readings: Reading[]): Reading[] =>
  readings.toSorted((one, other) => other.level - one.level).slice(0, 10);

const csv = (name: string, body: string) => ({
  status: 200,
  headers: { 'content-type': 'text/csv; charset=utf-8', 'content-disposition': `attachment; filename="${name}"` },
  body,
});

const front = () => html`
  <p><a class="button" href="readings.csv">All readings</a></p>
  <div class="bar"><label>Month <select id="month">${months.map((one) => html`<option>${one}</option>`)}</select></label>
    <button id="export">Export month</button></div>
  <p><button class="primary" id="prepare">Prepare report</button> <span id="ready"></span></p>
  <script>
    const at = (id) => document.getElementById(id);
    at('export').onclick = async () => {
      const month = at('month').value;
      const { csv } = await (await fetch('api/readings?month=' + month)).json();
      const link = document.createElement('a');
      link.href = URL.createObjectURL(new Blob([csv], { type: 'text/csv' }));
      link.download = month + '.csv';
      link.click();
    };
    at('prepare').onclick = async () => {
      at('ready').textContent = 'Working…';
      const { href } = await (await send('reports')).json();
      at('ready').innerHTML = '<a download>Report is ready</a>';
      at('ready').firstChild.href = href;
    };
  </script>`;
