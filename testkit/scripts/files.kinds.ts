import { csvOf, highest } from '../sites/download.ts';
import { at, type Kind, lines, name, say, sentence } from './script.ts';

const bytesOf = (text: string) => new TextEncoder().encode(text);
const handIn = ['click "Hand in"', 'wait for "1 files"', 'extract css ".name" as name', 'extract css ".size" as size'];

/** A file that the page makes of what is typed. */
const written: Kind = ({ random, url }) => {
  const [title, file, text] = [name(random), `note-${random.below(1000)}.txt`, lines(random)];
  return {
    ask: {
      lines: [
        say`open ${at(url('upload'))}`,
        say`type ${title} into "Title"`,
        say`type ${file} into "File name"`,
        say`type ${text} into "Contents"`,
        'click "Make file"',
        say`wait for ${`${file} with ${bytesOf(text).length} bytes`}`,
        ...handIn,
      ],
    },
    end: { status: 'success' },
    posts: ['upload/files'],
    result: ({ upload: { uploads } }) => ({ name: uploads[0]?.name ?? '', size: String(uploads[0]?.bytes.length) }),
    holds: [{ read: ({ upload }) => upload.uploads, is: [{ title, name: file, bytes: bytesOf(text) }] }],
  };
};

/** A file that was put into the session, given to a field or through the browser's own chooser. */
const brought: Kind = ({ random, url }) => {
  const [title, file] = [name(random), `chart-${random.below(1000)}.bin`];
  const bytes = Uint8Array.from({ length: 1 + random.below(60_000) }, () => random.below(256));
  return {
    brings: [{ name: file, bytes }],
    ask: {
      lines: [
        say`open ${at(url('upload'))}`,
        say`type ${title} into "Title"`,
        say`upload ${file} to ${random.is(0.5) ? 'Document' : 'Choose another way…'}`,
        say`wait for ${`${file} with ${bytes.length} bytes`}`,
        ...handIn,
      ],
    },
    end: { status: 'success' },
    posts: ['upload/files'],
    result: ({ upload: { uploads } }) => ({ name: uploads[0]?.name ?? '', size: String(uploads[0]?.bytes.length) }),
    holds: [{ read: ({ upload }) => upload.uploads, is: [{ title, name: file, bytes }] }],
  };
};

/** A file that nobody brought cannot be given to a page. */
const absent: Kind = ({ random, url }) => ({
  ask: {
    lines: [
      say`open ${at(url('upload'))}`,
      say`type ${sentence(random, 2)} into "Title"`,
      say`upload ${`nothing-${random.below(1000)}.pdf`} to "Document"`,
      'click "Hand in"',
    ],
  },
  end: { status: 'failed', step: 3, reason: 'no_file' },
  posts: [],
  holds: [{ read: ({ upload }) => upload.uploads, is: [] }],
});

/** A file of the server, and one that it makes only after a while. */
const csv: Kind = ({ url }) => ({
  ask: {
    lines: [
      say`open ${at(url('download'))}`,
      'download "All readings"',
      'click "Prepare report"',
      'download "Report is ready"',
    ],
  },
  end: { status: 'success' },
  posts: ['download/reports'],
  files: ({ download: { readings } }) => [
    { name: 'readings.csv', bytes: bytesOf(csvOf(readings)) },
    { name: 'report-1.csv', bytes: bytesOf(csvOf(highest(readings))) },
  ],
  holds: [{ read: ({ download }) => download.reports, is: 1 }],
});

/** A file that the page makes itself. */
const month: Kind = ({ random, url }) => {
  const chosen = random.pick(['2031-01', '2031-02', '2031-03']);
  return {
    ask: {
      steps: [
        { action: 'navigate', url: url('download') },
        { action: 'select', target: 'Month', option: chosen },
        { action: 'download', target: { role: 'button', name: 'Export month' } },
      ],
    },
    end: { status: 'success' },
    posts: [],
    files: ({ download: { readings } }) => [
      { name: `${chosen}.csv`, bytes: bytesOf(csvOf(readings.filter(({ day }) => day.startsWith(chosen)))) },
    ],
  };
};

export const fileKinds = {
  'upload: written': written,
  'upload: absent': absent,
  'download: csv': csv,
  'download: month': month,
};
/** Only where files can be put into a session. */
export const broughtKinds = { 'upload: brought': brought };
