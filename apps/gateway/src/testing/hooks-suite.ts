import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { providerEvents, type ProviderEvent } from '@posthorn/contracts';
import { snsCertificate, snsTopic, standIn } from '@posthorn/testing';
import { startGatewaySuite, type GatewaySuite } from './gateway-suite.js';

export interface HooksSuite {
  gateway: GatewaySuite;
  /** What sending was told since it came. */
  recorded: ProviderEvent[];
  sendgridKey: KeyObject;
  mailgunKey: string;
  sendingComes(): Promise<void>;
  sendingGoes(): Promise<void>;
  stop(): Promise<void>;
}

/** A gateway with all hooks set up, and something in place of sending. */
export async function startHooksSuite(): Promise<HooksSuite> {
  const directory = mkdtempSync(join(tmpdir(), 'posthorn-sns-'));
  const certificateFile = join(directory, 'sns.pem');
  writeFileSync(certificateFile, snsCertificate);
  const sendgrid = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const mailgunKey = 'the signing key of mailgun';
  const gateway = await startGatewaySuite({
    SES_TOPIC_ARNS: `arn:aws:sns:eu-west-1:123456789012:another, ${snsTopic}`,
    SNS_CERTIFICATE_FILE: certificateFile,
    POSTMARK_HOOK_SECRET: 'of postmark',
    SENDGRID_HOOK_KEY: sendgrid.publicKey.export({ format: 'der', type: 'spki' }).toString('base64'),
    MAILGUN_HOOK_KEY: mailgunKey,
    BREVO_HOOK_SECRET: 'of brevo',
  });
  let leave: (() => Promise<void>) | null = null;
  const suite: HooksSuite = {
    gateway,
    recorded: [],
    sendgridKey: sendgrid.privateKey,
    mailgunKey,
    sendingComes: async () => {
      suite.recorded = [];
      leave = await standIn(gateway.connection, providerEvents.record, async ({ items }) => {
        suite.recorded.push(...items);
        return { recorded: items.length };
      });
    },
    sendingGoes: async () => {
      await leave?.();
      leave = null;
    },
    stop: async () => {
      await gateway.stop();
      rmSync(directory, { recursive: true });
    },
  };
  return suite;
}
