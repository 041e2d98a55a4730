import { lines, name } from '../scripts/script.ts';
import { csvOf, highest } from '../sites/download.ts';
import { plan, reading, type TaskKind } from './task.ts';

const bytesOf = (text: string) => new TextEncoder().encode(text);
const handedIn = reading({ size: /, (\d+) bytes/ });

/** A file that the page makes of what is typed. */
const written: TaskKind = ({ random, url }) => {
  const [title, file, text] = [name(random), `note-${random.below(1000)}.txt`, lines(random)];
  return {
    prompt: `At ${url('upload')} write a file ${file} with these three lines, hand it in with the title ${title}, and tell me its size:\n${text}`,
    intents: plan(
      { open: url('upload') },
      { fill: { Title: title, 'File name': file, Contents: text } },
      { click: 'Make file' },
      { click: 'Hand in', when: `${file} with` },
      { finish: handedIn },
    ),
    end: { status: 'success' },
    result: ({ upload: { uploads } }) => ({ size: String(uploads[0]?.bytes.length) }),
    posts: ['upload/files'],
    holds: [{ read: ({ upload }) => upload.uploads, is: [{ title, name: file, bytes: bytesOf(text) }] }],
  };
};

/** A file that the request brings, given to a field or through the browser's own chooser. */
const brought: TaskKind = ({ random, url }) => {
  const [title, file] = [name(random), `chart-${random.below(1000)}.bin`];
  const bytes = Uint8Array.from({ length: 1 + random.below(60_000) }, () => random.below(256));
  return {
    brings: [{ name: file, bytes }],
    prompt: `Hand in the file ${file} at ${url('upload')} with the title ${title}, and tell me the size that the archive shows.`,
    intents: plan(
      { open: url('upload') },
      { fill: { Title: title } },
      { use: 'upload', on: random.is(0.5) ? 'Document' : 'Choose another way…', input: { file } },
      { click: 'Hand in', when: `${file} with ${bytes.length} bytes` },
      { finish: handedIn },
    ),
    end: { status: 'success' },
    result: ({ upload: { uploads } }) => ({ size: String(uploads[0]?.bytes.length) }),
    posts: ['upload/files'],
    holds: [{ read: ({ upload }) => upload.uploads, is: [{ title, name: file, bytes }] }],
  };
};

/** A file of the server, and one that it makes only after a while. */
const csv: TaskKind = ({ url }) => ({
  prompt: `From ${url('download')} download all readings, and a report that you have prepared there.`,
  intents: plan(
    { open: url('download') },
    { use: 'download', on: 'All readings' },
    { click: 'Prepare report', role: 'button' },
    { use: 'download', on: 'Report is ready' },
    { finish: undefined },
  ),
  end: { status: 'success' },
  posts: ['download/reports'],
  files: ({ download: { readings } }) => [
    { name: 'readings.csv', bytes: bytesOf(csvOf(readings)) },
    { name: 'report-1.csv', bytes: bytesOf(csvOf(highest(readings))) },
  ],
  holds: [{ read: ({ download }) => download.reports, is: 1 }],
});

/** A file that the page makes itself. */
const month: TaskKind = ({ random, url }) => {
  const chosen = random.pick(['2031-01', '2031-02', '2031-03']);
  return {
    prompt: `Download the readings of the month ${chosen} from ${url('download')}.`,
    intents: plan(
      { open: url('download') },
      { fill: { Month: chosen } },
      { use: 'download', on: 'Export month', role: 'button' },
      { finish: undefined },
    ),
    end: { status: 'success' },
    posts: [],
    files: ({ download: { readings } }) => [
      { name: `${chosen}.csv`, bytes: bytesOf(csvOf(readings.filter(({ day }) => day.startsWith(chosen)))) },
    ],
  };
};

export const fileTasks = {
  'upload: written': written,
  'upload: brought': brought,
  'download: csv': csv,
  'download: month': month,
};
