// Code that the optimizer shares between functions.

import { describe, expect, it } from 'vitest';
import { compiled, sceneOf } from '../../inspect/evaluation/scene.ts';
import { connectAdapter, launch, scopeOf, topOf } from './support/adapter.ts';

const SOURCE = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;
contract Shared {
  error Bad(uint256 code);
  uint256 internal code;
  function first(uint256 one) external view {
    if (one > 1) revert Bad(code);
  }
  function second(uint256 other) external view {
    if (other > 2) revert Bad(code);
  }
}
`;

describe('a failure in code that functions share', () => {
  it.each([
    ['first', 7, 'other'],
    ['second', 9, 'one'],
  ])('of %s has the place and the variables of its function', async (name, line, absent) => {
    const { call, deploy, invoke } = await sceneOf(
      compiled('Shared.sol', SOURCE, { optimizer: { enabled: true } }),
    );
    const { address } = await deploy('Shared');
    const { client, events } = await connectAdapter(call);

    await launch(client, { transaction: await invoke('Shared', address, name, [5n]) });

    expect(await topOf(client)).toBe(`Shared.${name}:${line}`);
    const outputs = events.filter(({ event }) => event === 'output').map(({ body }) => body);
    expect(outputs).toMatchObject([{ category: 'stderr', line }]);
    expect(await scopeOf(client, 'Locals')).not.toHaveProperty(absent);
  });
});
