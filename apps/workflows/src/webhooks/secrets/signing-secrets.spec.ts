import { describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { newWebhookSecret, signatureHeaders, signingKey } from './signing-secrets.js';

const [secret, previous, other] = [newWebhookSecret(), newWebhookSecret(), newWebhookSecret()];
const body = JSON.stringify({ id: 'e1', type: 'email.sent', data: { subject: 'Grüße' } });
const headers = (at = new Date(), ...secrets: string[]) =>
  signatureHeaders({ id: 'e1', at, body }, secrets.map(signingKey));

describe('the signature of a webhook', () => {
  it('is verified by the library of Standard Webhooks', () => {
    expect(new Webhook(secret).verify(body, headers(new Date(), secret))).toEqual(JSON.parse(body));
  });

  it('is verified with either secret during a rotation, and with no other', () => {
    const signed = headers(new Date(), secret, previous);
    for (const each of [secret, previous]) expect(() => new Webhook(each).verify(body, signed)).not.toThrow();
    expect(() => new Webhook(other).verify(body, signed)).toThrow();
  });

  it('is refused for another body, and after five minutes', () => {
    expect(() => new Webhook(secret).verify(`${body} `, headers(new Date(), secret))).toThrow();
    expect(() => new Webhook(secret).verify(body, headers(new Date(Date.now() - 400_000), secret))).toThrow();
  });
});
