import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Chain } from '../../../src/chain/chain.ts';
import { type FileSystem, systemFileSystem } from '../../../src/cli/host.ts';
import { StateSaver } from '../../../src/cli/state/state-saver.ts';
import { PLAIN_STYLE } from '../../../src/log/log-writer.ts';
import { PlainLog } from '../../../src/log/plain-log.ts';
import { createFakeTime } from '../../support/fake-time.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { createTestChain, nodeOf, testAccount, transfer } from '../../support/test-chain.ts';

const QUIET = { write: () => undefined, isTerminal: false };
const log = new PlainLog({ output: QUIET, errorOutput: QUIET, style: PLAIN_STYLE, isVerbose: false });

function saverOf(chain: Chain, path: string, files: FileSystem): StateSaver {
  const { clock, timers } = createFakeTime(0);
  const { dump } = nodeOf(chain);
  const form = 'own' as const;
  return new StateSaver({
    ...{ dump, files, path, form, interval: 0, log, isQuiet: true, clock, timers, saved: null, file: null },
  });
}

/** A file system that runs an action before the next copy of a beginning. `copies` are the lengths of all copies. */
function withInterruption(): {
  files: FileSystem;
  atNextCopy(action: () => Promise<void>): void;
  copies: number[];
} {
  let next: (() => Promise<void>) | null = null;
  const copies: number[] = [];
  const files: FileSystem = {
    ...systemFileSystem,
    writeSynced: (path, content, mode) =>
      systemFileSystem.writeSynced(
        path,
        typeof content !== 'function'
          ? content
          : (file) =>
              content({
                ...file,
                async copy(from, length) {
                  const action = next;
                  next = null;
                  await action?.();
                  copies.push(length);
                  await file.copy(from, length);
                },
              }),
        mode,
      ),
  };
  return {
    files,
    copies,
    atNextCopy(action) {
      next = action;
    },
  };
}

/** Fills the first pieces of the file. */
async function sendLargeBlocks(chain: Chain): Promise<void> {
  const request = transfer({ data: new Uint8Array(120_000), gasLimit: 10_000_000n });
  for (let index = 0; index < 8; index++) await chain.sendFrom(testAccount(0).address, request);
}

it.each(['replaces', 'truncates'] as const)(
  'a save is complete if another program %s the file during the copy',
  async (event) => {
    const path = join(await temporaryDirectory(), 'chain.json');
    const { chain } = await createTestChain();
    const { files, copies, atNextCopy } = withInterruption();
    const saver = saverOf(chain, path, files);
    await sendLargeBlocks(chain);
    await saver.save();
    await chain.mine();
    await saver.save();
    expect(copies).toHaveLength(1);

    await chain.mine();
    atNextCopy(async () => {
      if (event === 'truncates') return writeFile(path, 'short');
      const bytes = await readFile(path);
      await writeFile(`${path}.other`, bytes.fill(0x20));
      await rename(`${path}.other`, path);
    });
    await saver.save();
    expect(copies).toHaveLength(2);
    const whole = await nodeOf(chain).dump.write({ isCompressed: false, withKeys: true });
    expect(Buffer.compare(await readFile(path), whole)).toBe(0);
  },
);
