import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface ReceivedCall {
  path: string;
  method: string;
  headers: Record<string, string>;
  body: string;
}

export interface HttpReceiver {
  url: string;
  calls: ReceivedCall[];
  stop(): Promise<void>;
}

/** A server that webhooks call. */
export async function startReceiver(): Promise<HttpReceiver> {
  const receiver: HttpReceiver = {
    url: '',
    calls: [],
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await text(request);
    const headers = request.headers as Record<string, string>;
    receiver.calls.push({ path: request.url!, method: request.method!, headers, body });
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"received":true}');
  };
  const server = createServer((request, response) => void answer(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return receiver;
}
