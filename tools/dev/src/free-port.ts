import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import { DevServerError, errorCode } from './dev-server-error.js';

const quietPorts = { from: 20_000, to: 32_000, attempts: 20 };

/** The wished port if it is free, or any free one. */
export async function choosePort(preferred: number | undefined, what: string): Promise<number> {
  try {
    return await probe(preferred ?? 0);
  } catch (error) {
    if (errorCode(error) === 'EADDRINUSE') throw portTaken(preferred ?? 0, what);
    if (errorCode(error) === 'EACCES')
      throw new DevServerError(`Port ${preferred} for ${what} needs more rights. Choose one above 1024.`);
    throw error;
  }
}

/** Free, and below those that the system gives to outgoing connections: while its owner restarts, nothing takes it by chance. */
export async function chooseQuietPort(): Promise<number> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await probe(randomInt(quietPorts.from, quietPorts.to));
    } catch (error) {
      if (errorCode(error) !== 'EADDRINUSE' || attempt === quietPorts.attempts) throw error;
    }
  }
}

/** The wished port if it is free, or any quiet one. */
export async function preferPort(preferred: number): Promise<number> {
  return probe(preferred).catch(() => chooseQuietPort());
}

/** Before anything is started on it: `variable` is where another one can be named. */
export async function refuseTakenPort(port: number, variable: string): Promise<void> {
  try {
    if (port > 0) await probe(port);
  } catch (error) {
    if (errorCode(error) === 'EADDRINUSE')
      throw new DevServerError(
        `port ${port} is in use: stop what listens there (ss -ltnp 'sport = :${port}'), or set ${variable} to another port`,
      );
    if (errorCode(error) === 'EACCES')
      throw new DevServerError(`port ${port} needs more rights: set ${variable} to a port above 1024`);
    throw error;
  }
}

export function portTaken(port: number, what: string): DevServerError {
  return new DevServerError(
    `Port ${port} for ${what} is taken on 127.0.0.1. Stop what listens there (ss -ltnp 'sport = :${port}'), or choose another port.`,
  );
}

function probe(port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : port));
    });
  });
}
