import { describe, it } from 'vitest';
import { ASSETS_STEPS } from './assets-steps.ts';
import { GOVERNANCE_STEPS } from './governance-steps.ts';
import { PROXY_STEPS } from './proxy-steps.ts';
import { Scene, type Step } from './scene.ts';
import { SHARES_STEPS } from './shares-steps.ts';

const SCENES: readonly (readonly [about: string, steps: readonly Step[]])[] = [
  ['an ERC-20 with roles, a cap, a pause, permits and votes', SHARES_STEPS],
  ['ERC-721, ERC-1155, ERC-4626 and a vesting wallet', ASSETS_STEPS],
  ['proxies of each kind', PROXY_STEPS],
  ['a governor with its timelock', GOVERNANCE_STEPS],
];

describe("inspections of OpenZeppelin's contracts over HTTP", () => {
  it.each(SCENES)('%s', async (_about, steps) => {
    const scene = await Scene.open();
    await scene.run(steps);
    await scene.end();
  });
});
