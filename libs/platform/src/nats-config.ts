import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { natsUrlProblem, streamDays, type BusOptions } from '@posthorn/messaging';
import { ConfigError, Env } from './config.js';
import { DatabaseConfig } from './database/database-config.js';

/** Whoever connects to NATS has these settings, after those of Postgres: a class has one base. */
export class NatsConfig extends DatabaseConfig {
  @Env('NATS_URL', {
    kind: 'text',
    default: 'nats://127.0.0.1:4222',
    secret: true,
    check: natsUrlProblem,
    describe:
      'address of the NATS server, such as nats://127.0.0.1:4222, or those of the servers of a cluster, separated by commas; with tls:// instead of nats:// nothing is sent without encryption',
  })
  natsUrl: string;

  @Env('NATS_CA_FILE', {
    kind: 'text',
    optional: true,
    check: fileProblem,
    describe:
      'file with the certificates of the authorities that NATS servers are trusted by, instead of those of the system',
  })
  natsCaFile?: string;

  @Env('NATS_CERT_FILE', {
    kind: 'text',
    optional: true,
    check: fileProblem,
    describe:
      'file with the certificate that is shown to NATS servers which ask for one; needs NATS_KEY_FILE',
  })
  natsCertFile?: string;

  @Env('NATS_KEY_FILE', {
    kind: 'text',
    optional: true,
    check: fileProblem,
    describe: 'file with the key of NATS_CERT_FILE',
  })
  natsKeyFile?: string;

  @Env('NATS_REPLICAS', {
    kind: 'choice',
    choices: ['1', '3', '5'],
    default: '1',
    describe:
      'servers of the NATS cluster that keep each event; more than 1 needs a cluster of that size, and streams that exist get more replicas when a service starts',
  })
  natsReplicas: string;

  @Env('NATS_RETENTION_HOURS', {
    kind: 'number',
    default: String(streamDays * 24),
    min: 1,
    max: streamDays * 24,
    describe:
      'hours for which NATS keeps events: a service that is away for longer misses some; the outbox keeps them for RETENTION_OUTBOX_DAYS in any case',
  })
  natsRetentionHours: number;

  /** Where the address of one service stands in a variable of its own. */
  busAt(ownUrl?: string): Pick<BusOptions, 'url' | 'certificates' | 'streams'> {
    const url = ownUrl ?? this.natsUrl;
    const problems = this.problemsOf(url);
    if (problems.length > 0) throw new ConfigError(problems);
    return {
      url,
      certificates: { caFile: this.natsCaFile, certFile: this.natsCertFile, keyFile: this.natsKeyFile },
      streams: { replicas: Number(this.natsReplicas), retentionHours: this.natsRetentionHours },
    };
  }

  private problemsOf(url: string): string[] {
    const problem = natsUrlProblem(url);
    const files = [this.natsCaFile, this.natsCertFile, this.natsKeyFile];
    if (problem) return [`NATS_URL ${problem}`];
    if (!url.trim().startsWith('tls:') && files.some(Boolean))
      return [
        'NATS_CA_FILE, NATS_CERT_FILE and NATS_KEY_FILE are for addresses that begin with tls:// in NATS_URL',
      ];
    if (Boolean(this.natsCertFile) !== Boolean(this.natsKeyFile))
      return ['NATS_CERT_FILE and NATS_KEY_FILE belong together: one of them is missing'];
    return unusable(this);
  }
}

function fileProblem(path: string): string | undefined {
  try {
    readFileSync(path);
    return undefined;
  } catch (error) {
    return `cannot be read (${(error as NodeJS.ErrnoException).code})`;
  }
}

function unusable({ natsCaFile, natsCertFile, natsKeyFile }: NatsConfig): string[] {
  const [ca, cert, key] = [natsCaFile, natsCertFile, natsKeyFile].map((path) => path && readFileSync(path));
  try {
    createSecureContext({ ca, cert, key });
    return [];
  } catch (error) {
    return [
      `NATS_CA_FILE, NATS_CERT_FILE or NATS_KEY_FILE is not what it should be: ${(error as Error).message}`,
    ];
  }
}
