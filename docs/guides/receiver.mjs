// Verifies what a webhook sends, and keeps each event once: node receiver.mjs <secret> <file> <port>
import { appendFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { Webhook } from 'standardwebhooks';

const [secret, file, port] = process.argv.slice(2);
const webhook = new Webhook(secret);
const known = new Set();

createServer(async (request, response) => {
  let body = '';
  for await (const chunk of request.setEncoding('utf8')) body += chunk;
  try {
    const event = webhook.verify(body, request.headers);
    // An event may come again, always under its id. In a database, store the id together with the effect.
    if (!known.has(event.id)) appendFileSync(file, `${JSON.stringify(event)}\n`);
    known.add(event.id);
    response.writeHead(204).end();
  } catch {
    response.writeHead(400).end();
  }
}).listen(Number(port), '127.0.0.1');
