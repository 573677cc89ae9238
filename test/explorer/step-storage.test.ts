import { beforeAll, describe, expect, it } from 'vitest';
import { type Frame, type StepsOfPage, slotsAt } from '../../src/explorer/views/transaction/steps.ts';
import { createRpcHarness } from '../rpc/rpc-harness.ts';

const [PROXY, WRITER, FAILING, OTHER] = ['a1', 'b2', 'c3', 'd4'].map((byte) => byte.repeat(20)) as [
  string,
  string,
  string,
  string,
];
/** Accounts without `0x`, and codes. By delegation 7 and 5 are written to slot 1 of the proxy; then 9, 7, 5 and 9, which fails. */
const CODES = {
  [WRITER]: '6007600155 6005600155 00',
  [FAILING]: `6009600155 5f5f5f5f73${WRITER}5af450 6009600155 5f5ffd`,
  // Writes 3 to its own slot 2 and fails.
  [OTHER]: '6003600255 5f5ffd',
  [PROXY]: `5f5450 5f5f5f5f73${WRITER}5af450 5f5f5f5f73${FAILING}5af450 5f5f5f5f5f73${OTHER}5af150 60015450 00`,
};

interface Answer extends StepsOfPage {
  readonly frames: readonly Frame[];
  readonly count: number;
}

describe('the storage at a step', () => {
  let ask: (first: number, count: number) => Promise<Answer>;
  let whole: Answer;

  beforeAll(async () => {
    const { call } = await createRpcHarness({}, { ruleSet: 'prague' });
    for (const [account, code] of Object.entries(CODES))
      await call('anvil_setCode', [`0x${account}`, `0x${code.replaceAll(' ', '')}`]);
    const [from] = (await call('eth_accounts', [])) as string[];
    const hash = await call('eth_sendTransaction', [{ from, to: `0x${PROXY}`, gas: '0x100000' }]);
    ask = async (first, count) => (await call('inspect_steps', [hash, { first, count }])) as Answer;
    whole = await ask(0, 2_000);
  });

  it('belongs to the account whose slots the frame uses', () => {
    expect(whole.frames.map(({ address, storageAddress }) => [address, storageAddress])).toEqual(
      [
        [PROXY, PROXY],
        [WRITER, PROXY],
        [FAILING, PROXY],
        [WRITER, PROXY],
        [OTHER, OTHER],
      ].map((pair) => pair.map((account) => `0x${account}`)),
    );
  });

  it.each([1, 2, 3, 7, 10, 2_000])(
    'contains the values before the step, in pages of %i steps',
    async (size) => {
      const seen: string[] = [];
      let frame = -1;
      for (const { index, op, frame: inside } of whole.steps) {
        const isChange = inside !== frame;
        frame = inside;
        if (!isChange && !/^(?:SLOAD|SSTORE|STOP|REVERT)$/.test(op)) continue;
        const page = await ask(Math.floor(index / size) * size, size);
        const slots = slotsAt(page, index, whole.frames).map(
          ([slot, value]) => `${BigInt(`0x${slot}`)}=${BigInt(`0x${value}`)}`,
        );
        seen.push(`${inside} ${op} ${slots.join(' ')}`.trimEnd());
      }
      expect(seen).toEqual([
        '0 PUSH0',
        '0 SLOAD 0=0',
        '1 PUSH1 0=0',
        '1 SSTORE 1=0 0=0',
        '1 SSTORE 1=7 0=0',
        '1 STOP 1=5 0=0',
        '0 POP 1=5 0=0',
        '2 PUSH1 1=5 0=0',
        '2 SSTORE 1=5 0=0',
        '3 PUSH1 1=9 0=0',
        '3 SSTORE 1=9 0=0',
        '3 SSTORE 1=7 0=0',
        '3 STOP 1=5 0=0',
        '2 POP 1=5 0=0',
        '2 SSTORE 1=5 0=0',
        '2 REVERT 1=9 0=0',
        '0 POP 1=5 0=0',
        '4 PUSH1',
        '4 SSTORE 2=0',
        '4 REVERT 2=3',
        '0 POP 1=5 0=0',
        '0 SLOAD 1=5 0=0',
        '0 STOP 1=5 0=0',
      ]);
    },
  );

  it('is the same in pages of any size', async () => {
    const paged: unknown[] = [];
    for (let first = 0; first < whole.count; first += 3) paged.push(...(await ask(first, 3)).steps);
    expect(paged).toEqual(whole.steps);
  });
});
