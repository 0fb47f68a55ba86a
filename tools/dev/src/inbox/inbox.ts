import { resolve } from 'node:path';
import type { Report } from '../dev-server-error.js';
import { lockDirectory } from '../directory-lock.js';
import { serveInbox } from './inbox-http.js';
import { MessageStore } from './message-store.js';
import { MessageStream } from './message-stream.js';
import { receiveMail } from './smtp-receiver.js';

export interface InboxOptions {
  directory: string;
  /** Any free port where none is given. */
  httpPort?: number;
  smtpPort?: number;
  report?: Report;
  /** How many messages are kept; the oldest go first. */
  capacity?: number;
}

export interface Inbox {
  /** The page, and the JSON API below `/api`. */
  url: string;
  smtpUrl: string;
  count(): number;
  stop(): Promise<void>;
}

/** Catches every mail of a development installation and shows it. */
export async function startInbox({
  directory,
  httpPort = 0,
  smtpPort = 0,
  report: log = () => {},
  capacity = 10_000,
}: InboxOptions): Promise<Inbox> {
  const lock = lockDirectory(resolve(directory), 'The development inbox');
  const opened: (() => Promise<void> | void)[] = [() => lock.release()];
  const stop = async () => {
    for (const close of opened.splice(0).reverse()) await close();
  };
  try {
    const store = await MessageStore.open(resolve(directory), capacity);
    opened.push(() => store.settled());
    const stream = new MessageStream();
    const http = await serveInbox(store, stream, httpPort);
    opened.push(() => closePage(http.server, stream));
    const smtp = await receiveMail(store, smtpPort, (message) => stream.send('message', message), log);
    opened.push(() => smtp.stop());
    return {
      url: `http://127.0.0.1:${http.port}`,
      smtpUrl: `smtp://127.0.0.1:${smtp.port}`,
      count: () => store.count,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

function closePage(
  server: { close(done: () => void): unknown; closeAllConnections(): void },
  stream: MessageStream,
): Promise<void> {
  stream.stop();
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
