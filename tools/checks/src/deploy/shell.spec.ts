import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from '@jest/globals';
import { scriptFindings, shellFindings, shellScripts } from './shell.js';

const root = fileURLToPath(new URL('../../../../', import.meta.url));

describe('the shell scripts', () => {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-shell-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('are found and sound as they stand', () => {
    expect(shellScripts(root)).toEqual(
      expect.arrayContaining(['bin/check', 'deploy/start-service.sh', '.ci/run']),
    );
    expect(shellFindings(root)).toEqual([]);
  });

  it.each(['#!/bin/sh', '#!/usr/bin/env bash'])('are refused when they cannot be read: %s', (first) => {
    const file = join(folder, 'broken.sh');
    writeFileSync(file, `${first}\nif true; then\n  echo never closed\n`);
    chmodSync(file, 0o755);
    expect(scriptFindings(file).length).toBeGreaterThan(0);
  });
});
