import { describe, expect, it } from '@jest/globals';
import type { DatabaseClock } from '@posthorn/database';
import { signedSnsMessage } from '@posthorn/testing';
import type { GatewayConfig } from '../../config.js';
import { SnsMessages } from './sns-messages.js';

describe('a message of Amazon SNS', () => {
  it('is repeated later, not refused, if its certificate cannot be read', async () => {
    const topic = 'arn:aws:sns:no-such-region-1:123456789012:posthorn';
    const config = { sesTopics: [topic], snsCertificateFile: null } as unknown as GatewayConfig;
    const clock = { now: () => Promise.resolve(new Date()) } as unknown as DatabaseClock;
    const message = signedSnsMessage({
      TopicArn: topic,
      SigningCertURL:
        'https://sns.no-such-region-1.amazonaws.com/SimpleNotificationService-9c6465fa7f48f5cacd23014631ec1136.pem',
    });
    await expect(new SnsMessages(config, clock).verify(message)).rejects.toMatchObject({
      kind: 'unavailable',
      message: 'The certificate of Amazon SNS cannot be read',
    });
  });
});
