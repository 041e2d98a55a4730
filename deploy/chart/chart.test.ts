import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { root } from '../../testkit/stack/folders.ts';

type Labels = Record<string, string>;
type Container = {
  name: string;
  image: string;
  env: { name: string; value?: string; valueFrom?: object }[];
  ports?: { name: string; containerPort: number }[];
  securityContext: Record<string, unknown> & { capabilities: { drop: string[]; add?: string[] } };
  volumeMounts: { name: string; mountPath: string; subPathExpr?: string }[];
  resources?: { limits: { memory: string } };
};
type Pod = {
  containers: Container[];
  terminationGracePeriodSeconds: number;
  securityContext: { seccompProfile?: { type: string; localhostProfile?: string } };
  volumes: { name: string; secret?: { secretName: string; items?: { key: string }[] } }[];
};
/** As far as it is looked at. */
type Manifest = {
  kind: string;
  metadata: { name: string; labels: Labels; annotations?: Labels };
  spec: {
    replicas?: number;
    selector: { matchLabels: Labels };
    podSelector: { matchLabels: Labels };
    template: { metadata: { labels: Labels }; spec: Pod };
    scaleTargetRef: { kind: string; name: string };
    egress: object[];
    ingress: object[];
  };
};

const sources = '/usr/share/gocode/src';
const needed = ['/usr/bin/go', `${sources}/github.com/Masterminds/sprig`, `${sources}/sigs.k8s.io/yaml`];
const missing = needed.filter((path) => !existsSync(path));
const skip = missing.length > 0 && `there is no ${missing.join(', ')}: run scripts/edge-tools`;
const example = (name: string) => join(import.meta.dirname, 'examples', `${name}.yaml`);
const run = promisify(execFile);

describe('the chart', { skip }, () => {
  let dir: string;
  before(async () => {
    dir = await mkdtemp(join(tmpdir(), 'pilothouse-chart-'));
    const env = { ...process.env, GO111MODULE: 'off', GOPATH: '/usr/share/gocode', GOFLAGS: '' };
    // What was compiled once is kept: the first time takes several seconds.
    const cache = { GOCACHE: join(root, '.tools/go-cache'), HOME: dir };
    const args = ['build', '-o', join(dir, 'render'), join(import.meta.dirname, 'render/main.go')];
    await run('/usr/bin/go', args, { env: { ...env, ...cache }, timeout: 240_000 });
  });
  after(() => rm(dir, { recursive: true, force: true }));

  async function render(...files: string[]): Promise<Manifest[]> {
    const { stdout } = await run(join(dir, 'render'), [import.meta.dirname, ...files], { timeout: 30_000 });
    return stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Manifest); // the renderer wrote it
  }
  async function renderWith(text: string): Promise<Manifest[]> {
    const file = join(dir, 'more.yaml');
    await writeFile(file, text);
    return render(example('smallest'), file);
  }
  const podsOf = (all: Manifest[]) => all.filter(({ spec }) => spec.template);
  const partOf = (one: Manifest) => one.metadata.labels['app.kubernetes.io/component'] ?? '';
  const podOf = (all: Manifest[], part: string): Pod => {
    const found = podsOf(all).find((one) => partOf(one) === part);
    assert.ok(found, part);
    return found.spec.template.spec;
  };
  const settingOf = (pod: Pod, name: string) => pod.containers[0]?.env.find((one) => one.name === name)?.value;

  for (const name of ['smallest', 'everything']) {
    describe(`with the values of examples/${name}.yaml`, () => {
      let all: Manifest[];
      before(async () => {
        all = await render(example(name));
      });

      it('has every part, each under one name', () => {
        assert.deepEqual(podsOf(all).map(partOf).sort(), ['agent', 'browser', 'migrate', 'server']);
        const names = all.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
        assert.equal(new Set(names).size, names.length);
        for (const { metadata } of all) assert.match(metadata.name, /^[a-z0-9-]{1,63}$/);
      });

      it('selects the pods that it makes', () => {
        const labels = podsOf(all).map(({ spec }) => spec.template.metadata.labels);
        const isOne = (wanted: Labels) =>
          labels.some((one) => Object.entries(wanted).every(([key, value]) => one[key] === value));
        for (const { kind, metadata, spec } of all) {
          const wanted = spec.selector?.matchLabels ?? spec.podSelector?.matchLabels;
          if (wanted) assert.ok(isOne(wanted), `${kind} ${metadata.name}`);
          const { scaleTargetRef: target } = spec;
          if (target) assert.ok(all.some((one) => one.kind === target.kind && one.metadata.name === target.name));
        }
      });

      it('writes nothing into its root, gains nothing, and has no capability but those of a user per session', () => {
        for (const { spec } of podsOf(all)) {
          for (const { name: part, securityContext, resources } of spec.template.spec.containers) {
            assert.equal(securityContext.readOnlyRootFilesystem, true, part);
            assert.equal(securityContext.allowPrivilegeEscalation, false, part);
            assert.deepEqual(securityContext.capabilities.drop, ['ALL'], part);
            const isRoot = securityContext.runAsUser === 0;
            assert.equal(isRoot, part === 'browser' && name === 'smallest', part);
            assert.equal(securityContext.capabilities.add?.length ?? 0, isRoot ? 7 : 0, part);
            assert.ok(part === 'migrate' || resources?.limits.memory, part);
          }
          // A misspelt field would be taken by no one, and missed by no one.
          const known =
            /^(automountServiceAccountToken|enableServiceLinks|imagePullSecrets|nodeSelector|tolerations|topologySpreadConstraints|terminationGracePeriodSeconds|securityContext|containers|volumes|restartPolicy)$/;
          for (const field of Object.keys(spec.template.spec)) assert.match(field, known);
        }
      });

      it('names settings that there are, and no secret as one', () => {
        const documented = readFileSync(join(root, '.env.example'), 'utf8');
        const others = ['NODE_EXTRA_CA_CERTS'];
        for (const { spec } of podsOf(all)) {
          for (const { env } of spec.template.spec.containers) {
            for (const { name: setting, value } of env) {
              assert.ok(others.includes(setting) || documented.includes(`${setting.replace(/_FILE$/, '')}=`), setting);
              assert.doesNotMatch(setting, /(PASSWORD|KEY|DATABASE_URL)$/);
              assert.ok(value === undefined || typeof value === 'string', `${setting} is text`);
            }
          }
        }
      });

      it('hands each pod the secrets that it needs, and hosts neither the database nor a key', () => {
        const hosts = JSON.stringify(podOf(all, 'browser'));
        assert.doesNotMatch(hosts, /database-url|profile-key|openai|s3-/);
        const passwords = podOf(all, 'browser').containers[0]?.volumeMounts.find((one) => one.name === 'passwords');
        assert.equal(passwords?.subPathExpr, '$(HOST_ID)');
        for (const part of ['server', 'agent', 'migrate'])
          for (const { secret } of podOf(all, part).volumes)
            assert.ok(!secret || secret.items, `${part}: named one by one`);
      });

      it('gives each process the time that it wants to end', () => {
        for (const [part, setting] of [
          ['server', 'SERVER_DRAIN_SECS'],
          ['browser', 'HOST_DRAIN_SECS'],
        ] as const) {
          const pod = podOf(all, part);
          assert.ok(pod.terminationGracePeriodSeconds >= Number(settingOf(pod, setting)) + 15, part);
        }
      });

      it('closes every pod to all but those who are named, and hosts to the database', () => {
        const policies = all.filter(({ kind }) => kind === 'NetworkPolicy');
        assert.deepEqual(policies.map(partOf).sort(), podsOf(all).map(partOf).sort());
        for (const policy of policies) {
          const says = JSON.stringify(policy.spec.egress);
          assert.equal(says.includes('10.0.0.20/32'), partOf(policy) !== 'browser', partOf(policy));
          if (name === 'smallest') assert.equal(policy.spec.ingress, null);
        }
      });

      it('names the profile of Chromium, and only where Chromium is', () => {
        for (const { spec, metadata } of podsOf(all)) {
          const { seccompProfile } = spec.template.spec.securityContext;
          const isHost = metadata.name.endsWith('-browser');
          const wanted = isHost ? { type: 'Localhost', localhostProfile: 'pilothouse/browser.json' } : undefined;
          assert.deepEqual(seccompProfile, wanted);
        }
      });
    });
  }

  it('lets nobody register without an invitation, unless the operator says so', async () => {
    const server = async (...files: string[]) => podOf(await render(...files), 'server');
    const byDefault = await server(example('smallest'));
    assert.equal(settingOf(byDefault, 'REGISTRATION'), 'invite');
    assert.equal(settingOf(byDefault, 'PASSWORD_MIN_LENGTH'), '15');
    assert.equal(settingOf(await server(example('everything')), 'REGISTRATION'), 'closed');
    const chosen = podOf(await renderWith('settings: { REGISTRATION: open }'), 'server');
    assert.equal(settingOf(chosen, 'REGISTRATION'), 'open');
    assert.equal(settingOf(chosen, 'PASSWORD_MIN_LENGTH'), '15');
  });

  it('sets no number of pods where an autoscaler scales them', async () => {
    const replicas = (all: Manifest[]) => podsOf(all).map((one) => [partOf(one), one.spec.replicas]);
    const fixed = { server: 2, agent: 2, browser: 2, migrate: undefined };
    assert.deepEqual(Object.fromEntries(replicas(await render(example('smallest')))), fixed);
    for (const [, count] of replicas(await render(example('everything')))) assert.equal(count, undefined);
  });

  it('is not rendered where a choice is missing, and says which', async () => {
    await assert.rejects(render(), /image\.prefix is missing/);
    await assert.rejects(renderWith('browser: { seccomp: { type: "" } }'), /Localhost with the profile/);
    await assert.rejects(renderWith('browser: { seccomp: { type: RuntimeDefault } }'), /finds no sandbox/);
    await assert.rejects(renderWith('browser: { secretName: "" }'), /browser\.secretName is missing/);
    await assert.rejects(renderWith('secretName: ""'), /secretName is missing/);
    await assert.rejects(renderWith('blobs: { claimName: "" }'), /blobs\.bucket or blobs\.claimName/);
    await assert.rejects(renderWith('networkPolicy: { database: [] }'), /say where PostgreSQL is/);
    await assert.rejects(renderWith('ingress: { enabled: true, host: a.example.com }'), /logins need TLS/);
  });

  it('runs Chromium without a profile only where that is said', async () => {
    const all = await renderWith('browser: { seccomp: { type: Unconfined } }');
    assert.deepEqual(podOf(all, 'browser').securityContext.seccompProfile, { type: 'Unconfined' });
  });
});
