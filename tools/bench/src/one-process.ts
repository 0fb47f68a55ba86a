import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Process } from './processes.js';
import { cpuSeconds, residentMegabytes } from './resident.js';
import { benchSecret, type Servers } from './product.js';

/** `npm start` on given servers: every service in one process. */
export class OneProcess {
  private constructor(
    private readonly process: Process,
    private readonly root: string,
  ) {}

  static async start(
    { databaseUrl, natsUrl, smtpUrl }: Servers,
    changes: Record<string, string> = {},
  ): Promise<OneProcess> {
    const root = mkdtempSync(join(tmpdir(), 'posthorn-one-'));
    chmodSync(root, 0o755);
    const process = Process.run('apps/all-in-one/src/main.js', {
      POSTHORN_DATA_DIR: join(root, 'data'),
      PORT: '0',
      DATABASE_URL: databaseUrl,
      NATS_URL: natsUrl,
      SMTP_URL: smtpUrl,
      POSTHORN_SECRET_KEY: benchSecret,
      SENDING_RATE_PER_SECOND: '0',
      ...changes,
    });
    await process.untilOutput('is ready after');
    return new OneProcess(process, root);
  }

  get url(): string {
    return (JSON.parse(readFileSync(join(this.root, 'data', 'dev.json'), 'utf8')) as { baseUrl: string })
      .baseUrl;
  }

  get megabytes(): number {
    return residentMegabytes(this.process.child.pid!);
  }

  /** Since its start, in user and kernel mode. */
  get cpuSeconds(): number {
    return cpuSeconds(this.process.child.pid!);
  }

  async stop(): Promise<void> {
    await this.process.stop();
    rmSync(this.root, { recursive: true, force: true });
  }
}
