import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { makeCertificate } from '../../../../testkit/certificate.ts';
import { type NatsForTest, startNats } from '../../testing/nats.ts';
import { connectBus } from '../transport/connect.ts';

const trusted = getCACertificates('default');
let nats: NatsForTest;
let authority: string;
before(async () => {
  const made = await makeCertificate('localhost');
  authority = made.authority;
  nats = await startNats({ tls: made });
});
after(async () => {
  setDefaultCACertificates(trusted);
  await nats?.close();
});

const url = () => `tls://localhost:${nats.port}`;

test('a bus with a certificate lets in who trusts its authority', async () => {
  setDefaultCACertificates([...trusted, authority]);
  const bus = await connectBus({ ...nats.as('server'), servers: url() });
  assert.equal(await bus.ping({ timeoutMs: 2000 }), true);
  await bus.close();
});

test('a bus whose certificate no known authority signed is not spoken to', async () => {
  setDefaultCACertificates(trusted);
  await assert.rejects(connectBus({ ...nats.as('server'), servers: url(), connectTimeoutMs: 1500 }));
});

test('a bus whose certificate names another is not spoken to', async () => {
  const made = await makeCertificate('bus.test');
  setDefaultCACertificates([...trusted, made.authority]);
  const other = await startNats({ tls: made });
  try {
    for (const host of ['localhost', '127.0.0.1']) {
      const servers = `tls://${host}:${other.port}`;
      await assert.rejects(connectBus({ ...other.as('server'), servers, connectTimeoutMs: 1500 }), host);
    }
  } finally {
    await other.close();
  }
});
