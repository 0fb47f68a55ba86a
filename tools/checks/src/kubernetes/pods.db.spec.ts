import { execFile, execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  chooseQuietPort,
  startNats,
  startPostgres,
  type NatsServer,
  type PostgresServer,
} from '@posthorn/dev';
import { variablesOf } from '@posthorn/platform';
import { eventually } from '@posthorn/testing';
import { readTree, serviceNames } from '../deploy/tree.js';
import { root } from '../testing/deployment.js';
import { assembleImage, type ImageTree } from '../testing/image-tree.js';
import { readObjects, render, type KubernetesObject } from './rendered.js';
import { kubernetesTools } from './tools.js';
import { workloadsOf, type Workload } from './workload.js';

const mounted = '/run/secrets/posthorn';
const path = `${dirname(process.execPath)}:/usr/bin:/bin`;

/** No cluster: the files of the image, started with the arguments, the environment and the secrets that the manifests give a pod. */
describe('the pods of overlays/small', () => {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-pods-'));
  const children: ChildProcess[] = [];
  let postgres: PostgresServer;
  let nats: NatsServer;
  let image: ImageTree;
  let workloads: Workload[];
  let settings: Record<string, string>;
  let pathOfSecret: (secret: string) => string;
  let migratesApart: boolean;

  beforeAll(async () => {
    chmodSync(folder, 0o755);
    const tree = await readTree(root);
    image = assembleImage(root, tree);
    migratesApart = Object.values(variablesOf(tree.services['sending']!)).some(
      ({ name }) => name === 'MIGRATE_AT_START',
    );
    const objects = await render(await kubernetesTools(root), 'deploy/kubernetes/overlays/small');
    workloads = workloadsOf(objects);
    settings = objects.find(({ kind }) => kind === 'ConfigMap')!['data'] as Record<string, string>;
    postgres = await startPostgres({ dataDirectory: join(folder, 'postgres') });
    const port = await chooseQuietPort();
    const made = secretsFor(postgres.url, `127.0.0.1:${port}`);
    pathOfSecret = (secret) => join(folder, 'secrets', secret);
    for (const secret of made) mount(secret);
    nats = await startNats({
      dataDirectory: join(folder, 'nats'),
      port,
      configuration: readFileSync(join(root, 'deploy/nats.conf'), 'utf8'),
      environment: made.find(({ metadata }) => metadata.name === 'posthorn-nats')!['stringData'] as Record<
        string,
        string
      >,
    });
  });
  afterAll(async () => {
    for (const child of children) child.kill('SIGKILL');
    await Promise.all([postgres.stop(), nats.stop()]);
    image.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  const secretsFor = (databaseUrl: string, natsAddress: string): KubernetesObject[] =>
    readObjects(
      execFileSync(
        join(root, 'deploy/kubernetes/new-secrets.sh'),
        [databaseUrl, 'smtp://127.0.0.1:1', natsAddress],
        { encoding: 'utf8' },
      ),
    );

  function mount({ metadata, stringData }: KubernetesObject): void {
    const directory = pathOfSecret(metadata.name);
    mkdirSync(directory, { recursive: true });
    for (const [key, text] of Object.entries(stringData as Record<string, string>))
      writeFileSync(join(directory, key), text);
  }

  /** As the pod gets it, but for its ports, and the place of its Secret. */
  async function environmentOf({ container, pod }: Workload): Promise<Record<string, string>> {
    const secret = pod.volumes!.find((volume) => volume.name === 'secrets')!.secret!.secretName;
    const entries = (container.env ?? []).flatMap(({ name, value, valueFrom }) => {
      const text = value ?? settings[valueFrom!.configMapKeyRef!.key];
      return text === undefined ? [] : [[name, text.replace(mounted, pathOfSecret(secret))] as const];
    });
    return {
      ...image.environment,
      ...Object.fromEntries(entries),
      PORT: String(await chooseQuietPort()),
      ADMIN_PORT: String(await chooseQuietPort()),
      PATH: path,
    };
  }

  async function start(workload: Workload) {
    const { command, args = [] } = workload.container;
    const [program, ...texts] = command ?? [join(image.root, image.entrypoint[0]!)];
    const env = await environmentOf(workload);
    const child = spawn(program!, [...texts, ...args], {
      cwd: image.workingDirectory,
      env,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    children.push(child);
    let said = '';
    child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
    const ended = once(child, 'exit').then(([code]) => ({ code: code as number | null, said }));
    return { child, env, ended };
  }

  const isReady = (env: Record<string, string>) =>
    promisify(execFile)('node', [join(image.root, 'usr/local/bin/is-ready.mjs')], { env }).then(
      () => true,
      () => false,
    );

  it('are served by the job that provisions, and those that migrate', async () => {
    const jobs = workloads.filter(({ kind, name }) => kind === 'Job' && name.startsWith('provision'));
    if (migratesApart)
      jobs.push(...workloads.filter(({ kind, name }) => kind === 'Job' && name.startsWith('migrate')));
    for (const job of jobs)
      expect({ name: job.name, ...(await (await start(job)).ended) }).toEqual({
        name: job.name,
        code: 0,
        said: '',
      });
  }, 300_000);

  it.each(serviceNames(root))(
    'of %s are ready with nothing secret in their environment, and end with 0',
    async (service) => {
      const workload = workloads.find(({ kind, name }) => kind === 'Deployment' && name === service)!;
      const { child, env, ended } = await start(workload);
      const secrets = ['SENDING_DATABASE_URL', 'NATS_URL', 'POSTHORN_SECRET_KEY', 'SMTP_URL'];
      expect(Object.keys(env).filter((name) => secrets.includes(name))).toEqual([]);
      await eventually(
        async () => child.exitCode !== null || (await isReady(env)),
        `${service} ready`,
        60_000,
      );
      child.kill('SIGTERM');
      expect(await ended).toEqual({ code: 0, said: '' });
    },
    90_000,
  );
});
