import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { systemHost } from '../../src/cli/host.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

it.skipIf(process.platform === 'win32')(
  'writes files for their owner alone, since keys stand in that of --config-out',
  async () => {
    const path = join(await temporaryDirectory(), 'node.json');
    await systemHost((url) => import(url)).writeFile(path, '{}');
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  },
);
