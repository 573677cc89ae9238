import { expect, it } from 'vitest';
import type { ExecutedFrame, FrameRecord } from '../../../src/evm/frame-recorder.ts';
import { CodeBook, GasTally } from '../../../src/reports/gas/gas-tally.ts';

const ADDRESS = new Uint8Array(20).fill(0xaa);
const ACCOUNT = { address: ADDRESS, code: { bytes: Uint8Array.of(0), hash: new Uint8Array(32).fill(1) } };

function calling(account: number, selector: number, gasUsed = 10n): ExecutedFrame {
  const input = new Uint8Array(4);
  new DataView(input.buffer).setUint32(0, selector);
  const outcome = 'success' as const;
  return { kind: 'CALL', parent: 0, account, isPrecompile: false, input, outcome, gasUsed, handedTo: -1 };
}

it('a tally counts a thousand functions of a code separately, and all others together', () => {
  const other = { address: ADDRESS, code: { bytes: Uint8Array.of(1), hash: new Uint8Array(32).fill(2) } };
  const record: FrameRecord = { accounts: [ACCOUNT, other], frames: [], omitted: 0 };
  const tally = new GasTally();
  const codes = new CodeBook();
  for (let selector = 1; selector <= 1_003; selector++) tally.addFrame(calling(0, selector), record, codes);
  // Known functions, and functions of another code, are still counted separately.
  tally.addFrame(calling(0, 1, 50n), record, codes);
  tally.addFrame(calling(1, 1_003), record, codes);
  const found = [...tally.functions.values()].map(({ code, selector, calls }) => ({
    code,
    selector: selector === null ? null : Buffer.from(selector).readUInt32BE(),
    ...calls.summary(),
  }));
  const [first, ...others] = found;
  expect(found).toHaveLength(1_002);
  expect(first).toMatchObject({ selector: 1, calls: 2, total: 60n });
  expect(others.at(-2)).toMatchObject({ code: first?.code, selector: null, calls: 3, total: 30n });
  expect(others.at(-1)).toMatchObject({ selector: 1_003, calls: 1, total: 10n });
});
