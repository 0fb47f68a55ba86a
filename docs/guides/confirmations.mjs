// Mails the links that confirm subscriptions: node confirmations.mjs <url> <secret key> <webhook secret> <port>
import { createServer } from 'node:http';
import { Webhook } from 'standardwebhooks';

const [url, key, secret, port] = process.argv.slice(2);
const webhook = new Webhook(secret);

createServer(async (request, response) => {
  let body = '';
  for await (const chunk of request.setEncoding('utf8')) body += chunk;
  try {
    const { id, data } = webhook.verify(body, request.headers);
    const mail = {
      ...{
        to: data.contact.email,
        subject: `Please confirm: ${data.list.name}`,
        tracking: { clicks: false },
      },
      ...{ body: '<p><a href="{{ link }}">Yes, I want this</a></p>', data: { link: data.confirmUrl } },
    };
    // An event may come again, always under its id: the mail is sent once.
    const headers = {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'idempotency-key': id,
    };
    const sent = await fetch(`${url}/api/v1/emails`, { method: 'POST', headers, body: JSON.stringify(mail) });
    response.writeHead(sent.ok ? 204 : 503).end();
  } catch {
    response.writeHead(400).end();
  }
}).listen(Number(port), '127.0.0.1');
