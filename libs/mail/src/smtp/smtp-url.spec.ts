import { describe, expect, it } from '@jest/globals';
import { parseSmtpUrl } from './smtp-url.js';

describe('SMTP_URL', () => {
  it.each([
    ['smtp://localhost', { host: 'localhost', port: 25, tls: 'opportunistic', insecure: false }],
    ['smtp://localhost:1025/', { host: 'localhost', port: 1025, tls: 'opportunistic', insecure: false }],
    ['smtps://mail.example', { host: 'mail.example', port: 465, tls: 'implicit', insecure: false }],
    ['smtp://[::1]:2525?starttls=off', { host: '::1', port: 2525, tls: 'none', insecure: false }],
    [
      'smtp://u%40x:p%3Ass@mail.example',
      {
        host: 'mail.example',
        port: 587,
        tls: 'required',
        insecure: false,
        auth: { user: 'u@x', pass: 'p:ss' },
      },
    ],
    [
      'smtp://u:p@127.0.0.1:1025',
      {
        host: '127.0.0.1',
        port: 1025,
        tls: 'opportunistic',
        insecure: false,
        auth: { user: 'u', pass: 'p' },
      },
    ],
    [
      'smtp://h?starttls=required&insecure=1&name=me.example',
      { host: 'h', port: 25, tls: 'required', insecure: true, name: 'me.example' },
    ],
  ])('%s', (url, endpoint) => {
    expect(parseSmtpUrl(url)).toEqual(endpoint);
  });

  it.each([
    ['', 'is not a URL'],
    ['mail.example:25', 'must begin with smtp://'],
    ['http://mail.example', 'must begin with smtp://'],
    ['smtp://', 'names no host'],
    ['smtp://u@h', 'needs both a user and a password'],
    ['smtp://u:secret%ZZ@h', 'broken percent-encoding'],
    ['smtp://h/path', 'must not have a path'],
    ['smtp://h?tls=1', 'unknown parameter "tls"'],
    ['smtp://h?starttls=maybe', 'starttls'],
    ['smtps://h?starttls=required', 'cannot combine'],
    ['smtp://h?insecure=perhaps', 'insecure'],
    ['smtp://h?name=a%20b', 'no host name'],
    ['smtp://h:0', 'port 0'],
    ['smtp://u:secret@h:99999', 'is not a URL'],
  ])('refuses %j', (url, texts) => {
    expect(() => parseSmtpUrl(url)).toThrow(texts);
    expect(() => parseSmtpUrl(url)).not.toThrow('secret');
  });
});
