// Files that the person gives to the page: whether they fit, and how they travel.

export type FileLimits = { files: number; bytes: number };
type NamedFile = { name: string; size: number };

const inKib = (bytes: number): string => `${Math.ceil(bytes / 1024)} KiB`;

/** `1 file, 45 KiB at most`, or `3 files, 45 KiB together`. */
export function describeLimits({ files, bytes }: FileLimits, isMultiple: boolean): string {
  return isMultiple ? `${files} files at most, ${inKib(bytes)} together` : `One file, ${inKib(bytes)} at most`;
}

/** What is wrong with the files, in words; undefined if they can be given. */
export function findFault(files: readonly NamedFile[], limits: FileLimits, isMultiple: boolean): string | undefined {
  const most = isMultiple ? limits.files : 1;
  if (files.length > most)
    return most === 1 ? 'The page takes one file.' : `That is ${files.length} files. ${most} can be given at once.`;
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  const what = files.length === 1 ? `“${files[0]?.name}” has` : 'Together they have';
  if (bytes > limits.bytes) return `${what} ${inKib(bytes)}. ${inKib(limits.bytes)} can be given.`;
  if (new Set(files.map(({ name }) => name)).size < files.length) return 'Two of them have the same name.';
  return undefined;
}

export async function readGivenFiles(files: readonly File[]): Promise<{ name: string; content_base64: string }[]> {
  return Promise.all(
    files.map(async (file) => ({
      name: file.name.replaceAll(/[/\\]/g, '_').slice(0, 200),
      content_base64: toBase64(new Uint8Array(await file.arrayBuffer())),
    })),
  );
}

const toBase64 = (bytes: Uint8Array): string => btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
