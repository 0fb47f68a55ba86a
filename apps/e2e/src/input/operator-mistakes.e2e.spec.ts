import { spawnSync } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';
import { commandsOf, withPosthorn } from '../testing/bad-input.js';

const suite = withPosthorn();

const wordsOf = (line: string) => line.split(' ').filter(Boolean);
const run = (line: string) => commandsOf(suite.posthorn.dataDirectory)(...wordsOf(line));
/** As at a prompt, in a process of its own. */
const runProgram = (line: string, program = 'tools/operator') => {
  const env = { ...process.env, POSTHORN_DATA_DIR: suite.posthorn.dataDirectory };
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [`dist/${program}/src/main.js`, ...wordsOf(line)],
    { env, encoding: 'utf8' },
  );
  return { status, stdout, stderr };
};

describe('a mistake in an operator command', () => {
  it.each([
    [
      'projcts create',
      'unknown command projcts create; did you mean projects create? See npm run posthorn -- --help',
    ],
    ['keys', 'keys needs one of create, list, revoke; see npm run posthorn -- keys --help'],
    [
      'keys create --nmae x',
      'unknown option --nmae; did you mean --name? See npm run posthorn -- keys create --help',
    ],
    ['keys create --name', '--name needs a value; see npm run posthorn -- keys create --help'],
    [
      'projects create',
      'projects create needs --name: npm run posthorn -- projects create --name … [--owner …]',
    ],
    ['keys create --name x --preset ALL', /^--preset must be one of .* \(validation_error\)$/],
    ['suppressions add --email nobody', /^--email .* \(validation_error\)$/],
    ['users create --email nobody', /^--email .* \(validation_error\)$/],
    ['keys revoke --id 019b0000-0000-7000-8000-000000000001', /^No such .* \(resource_not_found\)$/],
    ['events republish --since yesterday', /^--since must be an instant such as .* \(validation_error\)$/],
  ])('is told in one line that says what to do: %s', async (line, message) => {
    const { status, stdout, stderr } = await run(line);
    expect({ status, stdout, lines: stderr.trimEnd().split('\n') }).toEqual({
      status: 1,
      stdout: '',
      lines: [typeof message === 'string' ? message : expect.stringMatching(message)],
    });
  });
});

it('is the same of a command in a process of its own', async () => {
  for (const line of ['keys', 'suppressions add --email nobody', 'projects --help'])
    expect(runProgram(line)).toEqual(await run(line));
});

describe('--help', () => {
  it.each([
    ['--help', ['projects create', 'keys create', 'read-models rebuild'], []],
    ['projects --help', ['projects create', 'projects limits'], ['keys create']],
    ['projects create --help', ['projects create --name'], ['projects limits']],
    ['help', ['projects create', 'keys create'], []],
  ])('of the operator shows the commands: %s', async (line, shown, hidden) => {
    const { status, stdout, stderr } = await run(line);
    expect([status, stderr]).toEqual([0, '']);
    for (const text of shown) expect(stdout).toContain(text);
    for (const text of hidden) expect(stdout).not.toContain(text);
  });

  it.each(['--help', '--services --help', '-h'])(
    'of npm start shows its options and starts nothing: %s',
    (line) => {
      const { status, stdout, stderr } = runProgram(line, 'apps/all-in-one');
      expect([status, stderr]).toEqual([0, '']);
      for (const text of ['--replicas', '--separate-databases', 'INBOX_PORT', 'POSTHORN_DATA_DIR'])
        expect(stdout).toContain(text);
      expect(stdout).not.toContain('Posthorn is ready');
    },
  );
});
