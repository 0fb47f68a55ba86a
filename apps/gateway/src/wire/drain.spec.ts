import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { expect, it } from '@jest/globals';
import { drainServer } from './drain.js';

const clients = 300;
const timeoutMs = 60_000;

/** Connects while the server's thread stands still, then asks; says how many were answered. */
const requesting = `
  const { workerData: { port, clients, connected }, parentPort } = require('node:worker_threads');
  const net = require('node:net');
  const ends = Array.from({ length: clients }, () => new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1', () => {
      Atomics.add(connected, 0, 1);
      Atomics.notify(connected, 0);
      socket.write('GET / HTTP/1.1\\r\\nhost: it\\r\\nconnection: close\\r\\n\\r\\n');
    });
    let text = '';
    socket.on('data', (chunk) => (text += chunk)).on('error', (error) => resolve(error.code));
    socket.on('close', () => resolve(text.split('\\r\\n')[0]));
  }));
  Promise.all(ends).then((all) => parentPort.postMessage(all));
`;

it('answers whoever waits in the queue of a listener that closes', async () => {
  const server = createServer((_, response) => response.end('here')).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const connected = new Int32Array(new SharedArrayBuffer(4));
  const { port } = server.address() as AddressInfo;
  const worker = new Worker(requesting, { eval: true, workerData: { port, clients, connected } });
  const answers = once(worker, 'message');
  await once(worker, 'online');
  const deadline = Date.now() + timeoutMs;
  for (let count = 0; count < clients && Date.now() < deadline; count = Atomics.load(connected, 0))
    Atomics.wait(connected, 0, count, 1_000);
  expect(Atomics.load(connected, 0)).toBe(clients);
  await drainServer(server);
  expect((await answers)[0]).toEqual(Array.from({ length: clients }, () => 'HTTP/1.1 200 OK'));
});
