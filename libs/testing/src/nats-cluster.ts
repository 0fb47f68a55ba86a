import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { RetentionPolicy, StorageType, jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { chooseQuietPort, startNats, type NatsServer } from '@posthorn/dev';
import { eventually } from './eventually.js';

interface Node {
  index: number;
  port: number;
  routePort: number;
  server: NatsServer | null;
}

const formedWithinMs = 60_000;
const firstFormedWithinMs = 15_000;
const formAttempts = 4;

/** Three NATS servers that replicate their streams; each can be killed, and comes back at its place. */
export class NatsCluster {
  private constructor(
    private readonly root: string,
    private readonly nodes: readonly Node[],
    private readonly configuration: string,
  ) {}

  static async start({ configuration = '' }: { configuration?: string } = {}): Promise<NatsCluster> {
    // Consensus writes to disk for every message, which the disk of a test machine may take long for.
    const memory = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();
    const root = await mkdtemp(join(memory, 'posthorn-nats-cluster-'));
    const nodes: Node[] = [];
    for (const index of [0, 1, 2])
      nodes.push({ index, port: await chooseQuietPort(), routePort: await chooseQuietPort(), server: null });
    const cluster = new NatsCluster(root, nodes, configuration);
    try {
      await cluster.form();
      return cluster;
    } catch (error) {
      await cluster.stop();
      throw error;
    }
  }

  /** Servers of 2.10 that greet each other for the first time may miss one of them for good; then they do it again. */
  private async form(attempt = 1): Promise<void> {
    try {
      await Promise.all(this.nodes.map(({ index }) => this.startNode(index)));
      await this.formed(firstFormedWithinMs);
    } catch (error) {
      await Promise.all(this.nodes.map(({ index }) => this.kill(index, { wiped: true })));
      if (attempt === formAttempts) throw error;
      await this.form(attempt + 1);
    }
  }

  /** All of them, for NATS_URL. */
  get url(): string {
    return this.nodes.map(({ index }) => this.urlOf(index)).join(',');
  }

  urlOf(index: number): string {
    return `nats://127.0.0.1:${this.nodes[index]!.port}`;
  }

  nameOf(index: number): string {
    return `${basename(this.root)}-${index}`;
  }

  /** Of the node with this name, such as the leader of a stream. */
  indexOf(name: string | undefined): number {
    return this.nodes.findIndex(({ index }) => this.nameOf(index) === name);
  }

  async kill(index: number, { wiped = false } = {}): Promise<void> {
    const node = this.nodes[index]!;
    const { server } = node;
    node.server = null;
    if (server) process.kill(server.pid, 'SIGKILL');
    await server?.stop();
    if (wiped) await rm(this.directoryOf(index), { recursive: true, force: true });
  }

  async startNode(index: number): Promise<void> {
    const node = this.nodes[index]!;
    const routes = this.nodes.map(({ routePort }) => `nats://127.0.0.1:${routePort}`);
    const cluster = `cluster { name: ${basename(this.root)}, listen: "127.0.0.1:${node.routePort}", routes: [${routes.map((route) => `"${route}"`).join(', ')}] }`;
    node.server = await startNats({
      dataDirectory: this.directoryOf(index),
      binDirectory: join('.posthorn', 'bin'),
      name: this.nameOf(index),
      port: node.port,
      configuration: `${this.configuration}\n${cluster}\n`,
    });
  }

  /** Until a stream can have a replica on each node, which needs all three. */
  async formed(withinMs = formedWithinMs): Promise<void> {
    const nats = await connect({ servers: this.nodes.map(({ port }) => `127.0.0.1:${port}`) });
    const probe = { name: 'probe', subjects: ['probe'], num_replicas: 3, storage: StorageType.Memory };
    try {
      const manager = await jetstreamManager(nats, { checkAPI: false, timeout: 2_000 });
      const tried = async () => {
        await manager.streams.add({ ...probe, retention: RetentionPolicy.Limits });
        return manager.streams.delete('probe');
      };
      await eventually(() => tried().catch(() => false), 'the servers form a cluster', withinMs);
    } finally {
      await nats.close();
    }
  }

  async stop(): Promise<void> {
    await Promise.all(this.nodes.map(({ index }) => this.kill(index)));
    await rm(this.root, { recursive: true, force: true });
  }

  private directoryOf(index: number): string {
    return join(this.root, String(index));
  }
}
