import type { Socket } from 'node:net';
import { SMTPServer } from 'smtp-server';
import { DevServerError, errorCode, type Report } from '../dev-server-error.js';
import { portTaken } from '../free-port.js';
import type { MessageStore, MessageSummary } from './message-store.js';

const largestMessage = 30 * 1024 * 1024;

export interface SmtpReceiver {
  port: number;
  stop(): Promise<void>;
}

/** An SMTP server that accepts every sender, recipient and login, and says 250 once the message lies on disk. */
export async function receiveMail(
  store: MessageStore,
  port: number,
  arrived: (message: MessageSummary) => void,
  report: Report,
): Promise<SmtpReceiver> {
  const server = new SMTPServer({
    banner: 'Posthorn development inbox',
    size: largestMessage,
    authOptional: true,
    allowInsecureAuth: true,
    // Without a key of its own the package would offer TLS with a key that is public.
    disabledCommands: ['STARTTLS'],
    disableReverseLookup: true,
    closeTimeout: 1_000,
    onAuth: (auth, _session, callback) => callback(null, { user: auth.username ?? 'anyone' }),
    onData(stream, session, callback) {
      const { mailFrom, rcptTo } = session.envelope;
      const envelope = { from: mailFrom ? mailFrom.address : '', to: rcptTo.map(({ address }) => address) };
      store
        .add(envelope, stream, () => stream.sizeExceeded)
        .then(
          (message) => {
            callback(
              message ? null : refusal(552, 'Message exceeds 30 MiB'),
              message ? `Stored as ${message.id}` : undefined,
            );
            if (message) arrived(message);
          },
          (error: unknown) => {
            report(`The development inbox cannot store a message: ${String(error)}`);
            callback(refusal(451, 'Cannot store the message now'));
          },
        );
    },
  });
  const bound = await listening(server, port);
  // A client that drops its connection is no fault of the inbox.
  server.on('error', () => {});
  return { port: bound, stop: () => new Promise((resolve) => server.close(() => resolve())) };
}

function refusal(responseCode: number, text: string): Error {
  return Object.assign(new Error(text), { responseCode });
}

function listening(server: SMTPServer, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const failed = (error: Error) =>
      reject(
        errorCode(error) === 'EADDRINUSE'
          ? portTaken(port, 'the inbox (SMTP)')
          : new DevServerError(error.message),
      );
    server.once('error', failed);
    server.listen(port, '127.0.0.1', () => {
      server.off('error', failed);
      resolve((server.server.address() as ReturnType<Socket['address']> & { port: number }).port);
    });
  });
}
