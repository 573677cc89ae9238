import fc from 'fast-check';
import { encodeErrorResult, parseAbi, toBytes, toHex } from 'viem';
import { describe, expect, it } from 'vitest';
import { revertReason } from '../../src/evm/revert-reason.ts';
import { type CompatName, compatNamed } from '../../src/rpc/compat.ts';

const abi = parseAbi(['error Error(string)', 'error Panic(uint256)', 'error NotEnough(uint256 needed)']);
const textData = (text: string) => toBytes(encodeErrorResult({ abi, errorName: 'Error', args: [text] }));
const panicData = (code: bigint) => toBytes(encodeErrorResult({ abi, errorName: 'Panic', args: [code] }));
const customData = toBytes(encodeErrorResult({ abi, errorName: 'NotEnough', args: [5n] }));

describe('revertReason', () => {
  it('decodes any error string', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(revertReason(textData(text))).toEqual({ kind: 'text', text });
      }),
    );
  });

  it.each([
    [0x01n, 'assertion failed'],
    [0x11n, 'arithmetic underflow or overflow'],
    [0x12n, 'division or modulo by zero'],
    [0x32n, 'array index out of bounds'],
    [0x51n, 'call of a zero-initialized function'],
    [0x99n, 'unknown panic code'],
  ])('returns the description of panic code %s', (panicCode, words) => {
    expect(revertReason(panicData(panicCode))).toEqual({ kind: 'panic', panicCode, words });
  });

  it('returns the selector and the data of a custom error', () => {
    expect(revertReason(customData)).toMatchObject({
      kind: 'custom',
      selector: expect.stringMatching(/^0x[0-9a-f]{8}$/),
    });
  });

  it('truncates long text and long data to 64 kB without half a character', () => {
    const [text, more] = ['é'.repeat(2 ** 15), 'é'.repeat(2 ** 20)];
    expect(revertReason(textData(text))).toEqual({ kind: 'text', text });
    expect(revertReason(textData(more))).toEqual({ kind: 'text', text: `${text}…` });
    expect(revertReason(textData(`a${more}`))).toEqual({ kind: 'text', text: `a${text.slice(1)}…` });
    const custom = revertReason(new Uint8Array(2 ** 20).fill(0xaa));
    expect(custom).toEqual({ kind: 'custom', selector: '0xaaaaaaaa', data: `0x${'aa'.repeat(2 ** 16)}` });
  });

  it('decodes arbitrary data without an exception, and a broken string as custom data', () => {
    expect(revertReason(new Uint8Array(0))).toEqual({ kind: 'none' });
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (tail) => {
        const data = Uint8Array.from([0x08, 0xc3, 0x79, 0xa0, ...tail]);
        expect(['text', 'custom']).toContain(revertReason(data).kind);
        expect(['panic', 'none', 'custom', 'text']).toContain(revertReason(tail).kind);
      }),
    );
    expect(revertReason(textData('too long').subarray(0, 60)).kind).toBe('custom');
  });
});

describe('revertMessage', () => {
  const message = (name: CompatName, data: Uint8Array) => compatNamed(name).revertMessage(revertReason(data));

  it('contains the reason in the format of each compat mode', () => {
    const data = textData('not today');
    expect(message('service', data)).toBe('VM Exception while processing transaction: revert not today');
    expect(message('anvil', data)).toBe('execution reverted: not today');
    expect(message('hardhat', data)).toBe(
      "VM Exception while processing transaction: reverted with reason string 'not today'",
    );
  });

  it('describes the panic code', () => {
    expect(message('anvil', panicData(0x12n))).toMatch(/division or modulo by zero.*0x12/);
    const prefix = 'VM Exception while processing transaction: reverted with panic code';
    expect(message('hardhat', panicData(0x12n))).toBe(`${prefix} 0x12 (Division or modulo division by zero)`);
    expect(message('hardhat', panicData(0x01n))).toBe(`${prefix} 0x1 (Assertion error)`);
    expect(message('hardhat', panicData(0x99n))).toBe(
      'VM Exception while processing transaction: reverted with unknown panic code 0x99',
    );
  });

  it('contains the selector and the arguments of a custom error', () => {
    const needed = '5'.padStart(64, '0');
    expect(message('anvil', customData)).toMatch(
      /^execution reverted: custom error 0x[0-9a-f]{8}: [0-9]{64}$/,
    );
    expect(message('anvil', customData)).toContain(needed);
    expect(message('anvil', customData.subarray(0, 4))).toMatch(/custom error 0x[0-9a-f]{8}$/);
    expect(message('hardhat', customData)).toContain(`(return data: ${toHex(customData)})`);
  });

  it('has fewer than 500 characters for any data', () => {
    const data = new Uint8Array(100_000).fill(0x7f);
    for (const name of ['service', 'anvil'] as const) expect(message(name, data).length).toBeLessThan(500);
  });

  it('has no details in the service mode, as on Rootstock', () => {
    const reverted = 'VM Exception while processing transaction: transaction reverted';
    expect([panicData(1n), customData, new Uint8Array(0)].map((data) => message('service', data))).toEqual(
      Array(3).fill(reverted),
    );
    expect(message('service', textData(''))).toBe('VM Exception while processing transaction: revert ');
    expect(message('service', textData('a (b)'))).toBe(
      'VM Exception while processing transaction: revert a (b)',
    );
  });

  it('revertHint returns the details that the service message omits', () => {
    const hint = (data: Uint8Array) => compatNamed('service').revertHint(revertReason(data));
    expect(hint(panicData(0x12n))).toBe('panic 0x12: division or modulo by zero');
    expect(hint(customData)).toMatch(/^custom error 0x[0-9a-f]{8}: [0-9]{64}$/);
    expect(hint(new Uint8Array(100_000).fill(0x7f))?.length).toBeLessThan(500);
    expect([hint(textData('x')), hint(new Uint8Array(0))]).toEqual([undefined, undefined]);
    expect(compatNamed('anvil').revertHint(revertReason(customData))).toBeUndefined();
  });

  it.each([textData('x'), panicData(1n), customData, new Uint8Array(0)])(
    'starts as ethers and viem expect it in the modes anvil and hardhat',
    (data) => {
      expect(message('anvil', data)).toMatch(/^execution reverted/);
      expect(message('hardhat', data)).toMatch(/revert/i);
    },
  );
});
