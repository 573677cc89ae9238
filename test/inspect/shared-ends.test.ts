import { expect, it } from 'vitest';
import { SourceMap } from '../../src/artifacts/source-map.ts';
import { CodeCounts } from '../../src/evm/execution-counts.ts';
import { fromHex } from '../../src/primitives/hex.ts';
import { finish } from '../../src/primitives/steps.ts';
import { CodeFlow } from '../../src/reports/coverage/code-flow.ts';
import { callsBySelector } from '../../src/reports/coverage/outside-calls.ts';
import { runTask } from '../../src/scheduling/task.ts';
import { TimeSlice } from '../../src/scheduling/time-slice.ts';

/** Two functions of a dispatcher, with one end shared by the optimizer. */
const PARTS = {
  selector: '5f3560e01c',
  first: '8063aaaaaaaa1461001d57',
  second: '63bbbbbbbb1461002657',
  neither: '5f5ffd',
  firstBody: '5b60015f5561002f56',
  secondBody: '5b60025f5561002f56',
  end: '5b00',
};

it('functions that share their end have separate counts of successful runs', async () => {
  const code = fromHex(`0x${Object.values(PARTS).join('')}`);
  const template = {
    bytes: code,
    holes: [],
    sourceMap: `0:0:-1:-${';'.repeat(40)}`,
    variables: null,
  };
  const map = finish(SourceMap.read(template));
  if (map === null) throw new Error('no source map');
  const counted = new CodeCounts('deployed', code, new Uint8Array(32));
  const timesOf = { selector: 4, first: 4, second: 1, neither: 0, firstBody: 3, secondBody: 1, end: 4 };
  let start = 0;
  for (const [part, digits] of Object.entries(PARTS)) {
    const end = start + digits.length / 2;
    const times = timesOf[part as keyof typeof PARTS];
    if (times > 0) counted.add([{ start, end, times }]);
    start = end;
  }
  const counts = counted.opcodes();
  const flow = await runTask(CodeFlow.of(code, counts, map), new TimeSlice());
  const origin = { optimizer: true, viaIR: true, isVyper: false };
  const reading = { flow, map, counts, code, files: new Map(), origin };
  expect(await runTask(callsBySelector(reading), new TimeSlice())).toEqual(
    new Map([
      ['aaaaaaaa', { calls: 3, completions: 3 }],
      ['bbbbbbbb', { calls: 1, completions: 1 }],
    ]),
  );
});
