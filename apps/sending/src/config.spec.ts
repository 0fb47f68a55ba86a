import { describe, expect, it } from '@jest/globals';
import { maxScheduleDays } from '@posthorn/contracts';
import { readConfig } from '@posthorn/platform';
import { SendingConfig } from './config.js';

const read = (environment: Record<string, string>) =>
  readConfig(SendingConfig, { POSTHORN_SECRET_KEY: 'k'.repeat(32), ...environment });

describe('what is kept of e-mails', () => {
  const fewest = maxScheduleDays + 3;

  it.each(['RETENTION_CONTENTS_DAYS', 'RETENTION_EMAILS_DAYS'])(
    'is kept longer than mail can be scheduled ahead, or the service does not start: %s',
    (name) => {
      expect(() => read({ [name]: String(fewest - 1) })).toThrow(
        new RegExp(`^${name}=${fewest - 1} must be a number from ${fewest} to 3650: .*scheduled`, 'm'),
      );
      expect(() => read({ [name]: String(fewest) })).not.toThrow();
    },
  );

  it('is kept long enough by default', () => {
    const { contentsDays, emailsDays } = read({});
    expect(Math.min(contentsDays, emailsDays)).toBeGreaterThanOrEqual(fewest);
  });
});
