import { execFile } from 'node:child_process';
import { createHash, X509Certificate } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

export type Certificate = {
  key: string;
  cert: string;
  /** The certificate of the authority. */
  authority: string;
  spki: string;
};

/** A certificate of an authority made for this once; `spki` is how Chromium is told to take it. */
export async function makeCertificate(name: string): Promise<Certificate> {
  const folder = await mkdtemp(join(tmpdir(), 'pilothouse-certificate-'));
  const openssl = (...args: string[]) => run('/usr/bin/openssl', args, { cwd: folder, timeout: 20_000 });
  const fresh = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  try {
    await openssl('req', '-x509', ...fresh, '-keyout', 'ca.key', '-out', 'ca.pem', '-days', '2', '-subj', '/CN=ca');
    await openssl('req', ...fresh, '-keyout', 'site.key', '-out', 'site.csr', '-subj', `/CN=${name}`);
    await writeFile(join(folder, 'extensions'), `subjectAltName=DNS:${name}\nextendedKeyUsage=serverAuth,clientAuth\n`);
    const by = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '2', '-extfile', 'extensions'];
    await openssl('x509', '-req', '-in', 'site.csr', ...by, '-out', 'site.pem');
    const files = ['site.key', 'site.pem', 'ca.pem'].map((file) => readFile(join(folder, file), 'utf8'));
    const [key, cert, authority] = await Promise.all(files);
    if (!key || !cert || !authority) throw new Error('openssl wrote nothing');
    const spki = new X509Certificate(cert).publicKey.export({ type: 'spki', format: 'der' });
    return { key, cert, authority, spki: createHash('sha256').update(spki).digest('base64') };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
