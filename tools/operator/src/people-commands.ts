import { readFileSync } from 'node:fs';
import { applications, operatedMembers, users, type MemberRole } from '@posthorn/contracts';
import type { Command } from './command.js';

/** Passwords and secrets take a while to hash. */
const waiting = { timeoutMs: 15_000 };

export const peopleCommands: Command[] = [
  {
    noun: 'members',
    verb: 'list',
    options: [],
    inProject: true,
    describe: 'who may work in a project, and as what',
    run: (bus, caller) => bus.call(operatedMembers.list, caller, {}),
  },
  {
    noun: 'members',
    verb: 'add',
    options: ['email', 'role'],
    inProject: true,
    describe: 'let a person who can sign in work in a project, as OWNER, ADMIN or MEMBER, or change the role',
    run: (bus, caller, { email, role }) =>
      bus.call(operatedMembers.put, caller, { email: email!, role: role as MemberRole }),
  },
  {
    noun: 'members',
    verb: 'remove',
    options: ['email'],
    inProject: true,
    describe: 'undo add; the last owner stays',
    run: (bus, caller, { email }) => bus.call(operatedMembers.remove, caller, { email: email! }),
  },
  {
    noun: 'users',
    verb: 'verify',
    options: ['email'],
    inProject: false,
    describe: 'vouch for the address of a person whom no mail reaches',
    run: (bus, caller, { email }) => bus.call(users.verify, caller, { email: email! }),
  },
  {
    noun: 'applications',
    verb: 'register',
    options: ['name', 'redirect-uri'],
    flags: ['public'],
    inProject: false,
    describe: 'make a client of OAuth; its secret is shown once, a public one (on a device) has none',
    run: (bus, caller, { name, ...values }) =>
      bus.call(
        applications.register,
        caller,
        {
          name: name!,
          redirectUri: values['redirect-uri']!,
          isPublic: values['public'] !== undefined,
        },
        waiting,
      ),
  },
  {
    noun: 'applications',
    verb: 'remove',
    options: ['client'],
    inProject: false,
    members: { clientId: 'client' },
    describe: 'end a client of OAuth, its secret, and everything that people let it have',
    run: (bus, caller, { client }) => bus.call(applications.remove, caller, { clientId: client! }),
  },
  {
    noun: 'users',
    verb: 'create',
    options: ['email', 'name?'],
    flags: ['verified', 'password-stdin'],
    inProject: false,
    members: { password: 'password-stdin' },
    describe: 'make a person who can sign in; the password is made and shown once, or read from stdin',
    run: (bus, caller, { email, name, verified, ...values }) =>
      bus.call(
        users.create,
        caller,
        {
          email: email!,
          ...(name ? { name } : {}),
          ...(verified ? { verified: true } : {}),
          // Never as an option: everybody on the machine can read the command lines of others.
          ...(values['password-stdin'] ? { password: readFileSync(0, 'utf8').replace(/\r?\n$/, '') } : {}),
        },
        waiting,
      ),
  },
];
