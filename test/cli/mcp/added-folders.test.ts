import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { Session } from '../../../src/cli/mcp/session.ts';
import { CONTRACT_TOOLS } from '../../../src/cli/mcp/tools/contract-tools.ts';
import { splitCommandLine } from '../../../src/cli/read-options.ts';
import { createFakeTime } from '../../support/fake-time.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { fakeHost } from '../support/fake-host.ts';

describe('add_artifacts', () => {
  it('returns after 5 s if the folder has not been read by then', async () => {
    const time = createFakeTime(0);
    const host = fakeHost({ ...time, workingDirectory: await temporaryDirectory() });
    const session = new Session({ given: splitCommandLine(['mcp'], {}), file: null }, host);
    onTestFinished(async () => void (await session.close(true)));
    const artifacts = await (await session.artifacts()).load();
    const isAsked = new Promise<void>((resolve) => {
      vi.spyOn(artifacts, 'ready').mockImplementation(() => {
        resolve();
        return new Promise(() => undefined);
      });
    });
    vi.spyOn(artifacts, 'isReading', 'get').mockReturnValue(true);
    const tool = CONTRACT_TOOLS.find(({ name }) => name === 'add_artifacts');
    const outcomes: unknown[] = [];
    void Promise.resolve(tool?.run({ folder: './out' }, session)).catch(
      (error: unknown) => void outcomes.push(error),
    );
    await isAsked;

    await time.advance(4_999);
    expect(outcomes).toEqual([]);
    await time.advance(1);
    expect(outcomes).toMatchObject([
      { message: 'no build outputs found in ./out so far; the node has not finished reading this folder' },
    ]);
  });
});
