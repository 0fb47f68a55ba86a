import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startGatewaySuite, type GatewaySuite } from '../testing/gateway-suite.js';

let suite: GatewaySuite;
let key: string;

beforeAll(async () => {
  suite = await startGatewaySuite();
  const { projectId } = await suite.buildProject();
  key = (await suite.buildKey(projectId)).token;
});
afterAll(() => suite.stop());

/** Sends the bytes as given, which no client would. */
async function raw(
  headers: string[],
  path = '/api/v1/contacts?no_such_name=1',
): Promise<{ status: number; text: string }> {
  const socket = connect(suite.gateway.port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write(
    `GET ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n${headers.map((line) => `${line}\r\n`).join('')}\r\n`,
  );
  const chunks: Buffer[] = [];
  // A response during the upload may be followed by a reset.
  await new Promise<void>((resolve) =>
    socket.on('data', (chunk: Buffer) => chunks.push(chunk)).once('close', () => resolve()),
  );
  const text = Buffer.concat(chunks).toString();
  return { status: Number(text.split(' ')[1]), text };
}

describe('a credential', () => {
  it('is read whatever the case of the scheme and header name', async () => {
    for (const header of [`authorization: bearer ${key}`, `AUTHORIZATION: BEARER   ${key} `])
      expect((await raw([header])).status).toBe(422);
  });

  it.each([
    ['of a megabyte', (token: string) => [`authorization: Bearer ${token.repeat(20_000)}`], 431],
    ['of nine kilobytes', (token: string) => [`authorization: Bearer ${token}${'0'.repeat(9_000)}`], 401],
    ['with a NUL', (token: string) => [`authorization: Bearer ${token}\0`], 400],
    ['with a bare CR', (token: string) => [`authorization: Bearer ${token}\rx: y`], 400],
    [
      'in two headers',
      (token: string) => [`authorization: Bearer ${token}`, `authorization: Bearer ${token}`],
      401,
    ],
    [
      'in two headers, the first of which is empty',
      (token: string) => ['authorization:', `authorization: Bearer ${token}`],
      401,
    ],
    ['in another header', (token: string) => [`x-authorization: Bearer ${token}`], 401],
    ['in a cookie', (token: string) => [`cookie: authorization=${token}`], 401],
    ['as a session cookie', (token: string) => [`cookie: better-auth.session_token=${token}`], 401],
    ['in UTF-16', (token: string) => [`authorization: Bearer ${[...token].join('\u00ff')}`], 401],
  ])('%s is no credential', async (_, headers, status) => {
    const published = await raw(headers(key));
    expect(published.status).toBe(status);
    expect(published.text).not.toContain(key);
  });

  it('in the query is no credential and is not echoed', async () => {
    for (const name of ['token', 'access_token', 'authorization', 'api_key']) {
      const published = await raw([], `/api/v1/contacts?${name}=${key}`);
      expect(published.status).toBe(401);
      expect(published.text).not.toContain(key);
    }
  });
});
