import { busUsers, type BusUser } from '@posthorn/contracts';
import { permissionsOf } from './nats-permissions.js';

/** Seconds that a client may take to send its credentials; nats-server allows two, in which a busy process may fail. */
const authenticationSeconds = 30;

/** `passwordOf` returns a quoted password, or an environment variable of nats-server after a dollar sign. */
export function natsConfiguration(passwordOf: (user: BusUser) => string): string {
  const users = busUsers.map((user) => {
    const { publish, subscribe } = permissionsOf(user);
    return [
      '    {',
      `      user: ${user}`,
      `      password: ${passwordOf(user)}`,
      '      permissions: {',
      list('publish', publish),
      list('subscribe', subscribe),
      '      }',
      '    }',
    ].join('\n');
  });
  return `authorization: {\n  timeout: ${authenticationSeconds}\n  users: [\n${users.join('\n')}\n  ]\n}\n`;
}

const list = (name: string, subjects: readonly string[]): string =>
  `        ${name}: [\n${subjects.map((subject) => `          "${subject}"`).join('\n')}\n        ]`;
