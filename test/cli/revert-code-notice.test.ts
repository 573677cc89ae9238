import { describe, expect, it } from 'vitest';
import { RevertCodeNotice } from '../../src/log/revert-code-notice.ts';
import { ExecutionError, InvalidParamsError } from '../../src/rpc/errors.ts';

function noticesFor(...errors: readonly unknown[]): string[] {
  const lines: string[] = [];
  const notice = new RevertCodeNotice((line) => lines.push(line));
  for (const error of errors) notice.onError(error);
  return lines;
}

describe('RevertCodeNotice', () => {
  it('writes one line for the first revert with code -32015 and names the clients and the option', () => {
    const revert = new ExecutionError(-32015, 'transaction reverted', '0x');
    expect(noticesFor(revert, revert)).toEqual([
      'A revert was returned with error code -32015 (compat mode service). viem does not decode reverts from this code; for viem, wagmi or Foundry, pass --compat anvil',
    ]);
  });

  it('writes nothing for code 3, for a halt without data, for other errors and for a success', () => {
    expect(
      noticesFor(
        new ExecutionError(3, 'execution reverted', '0x'),
        new ExecutionError(-32015, 'out of gas', undefined),
        new InvalidParamsError('block', 'a block number', '"lates"'),
        undefined,
      ),
    ).toEqual([]);
  });
});
