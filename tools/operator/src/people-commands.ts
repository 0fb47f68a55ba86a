import { readFileSync } from 'node:fs';
import { users } from '@posthorn/contracts';
import type { Command } from './command.js';

export const peopleCommands: Command[] = [
  {
    noun: 'users',
    verb: 'create',
    options: ['email', 'name?'],
    flags: ['verified', 'password-stdin'],
    inProject: false,
    describe: 'make a person who can sign in; the password is made and shown once, or read from stdin',
    run: (bus, caller, { email, name, verified, ...values }) =>
      bus.call(users.create, caller, {
        email: email!,
        ...(name ? { name } : {}),
        ...(verified ? { verified: true } : {}),
        // Never as an option: everybody on the machine can read the command lines of others.
        ...(values['password-stdin'] ? { password: readFileSync(0, 'utf8').replace(/\r?\n$/, '') } : {}),
      }),
  },
];
