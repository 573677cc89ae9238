import { describe, expect, it } from 'vitest';
import { requestEntry } from '../../src/log/log-entries.ts';
import { CompatError, ExecutionError } from '../../src/rpc/errors.ts';

const MESSAGE = 'VM Exception while processing transaction: transaction reverted';

describe('log entry of a failed call', () => {
  it('adds the explanation of a revert to the message of the service', () => {
    const error = new ExecutionError(-32015, MESSAGE, '0x4e487b71', 'panic 0x12: division or modulo by zero');
    expect(requestEntry({ method: 'eth_call', durationMs: 3, error })).toEqual({
      method: 'eth_call',
      durationMs: 3,
      error: { code: -32015, message: `${MESSAGE} (panic 0x12: division or modulo by zero)` },
    });
  });

  const REVERTED = new ExecutionError(-32015, MESSAGE, '0x');

  it.each([REVERTED, new CompatError(-32010, MESSAGE, REVERTED)])(
    'contains only the message if there is no explanation',
    (error) => {
      expect(requestEntry({ method: 'eth_call', error }).error?.message).toBe(MESSAGE);
    },
  );
});
