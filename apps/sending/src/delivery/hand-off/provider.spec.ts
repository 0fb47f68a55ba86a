import { expect, it } from '@jest/globals';
import { endpointOf } from './provider.js';

it.each([
  ['smtp://smtp.example.com:587', undefined, undefined],
  ['smtp://smtp.example.com:587', 'mail.example.com', 'mail.example.com'],
  ['smtp://smtp.example.com:587?name=out.example.com', 'mail.example.com', 'out.example.com'],
])('%s with MAIL_HOST %s is greeted by %s', (smtpUrl, mailHost, name) => {
  expect(endpointOf(mailHost === undefined ? { smtpUrl } : { smtpUrl, mailHost }).name).toBe(name);
});
