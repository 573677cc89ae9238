import { readFileSync } from 'node:fs';
import { type Abi, encodeDeployData, encodeFunctionData, type Hex, toFunctionSelector } from 'viem';
import { describe, expect, it } from 'vitest';
import { implementationOf, isMinimalProxy } from '../../src/inspect/proxies.ts';
import { fromHex, toHex } from '../../src/primitives/hex.ts';
import { runTask } from '../../src/scheduling/task.ts';
import { Overlay } from '../../src/state/overlay.ts';
import { WorldState } from '../../src/state/world-state.ts';
import { start } from '../cli/support/started-node.ts';
import { resultAt } from '../support/json-rpc.ts';

const PROXY = fromHex(`0x${'a0'.repeat(20)}`);
const TARGET = `0x${'00'.repeat(2)}${'b1'.repeat(18)}`;
const CODE = fromHex('0x6000');

/** Returns a state with the address in a slot of the proxy. */
function withSlot(slot: string, address: string): WorldState {
  const overlay = new Overlay(WorldState.empty());
  overlay.setCode(PROXY, CODE);
  overlay.setStorage(PROXY, fromHex(slot), fromHex(address.replace(/^0x(?:00)*/, '0x')));
  return overlay.toWorldState();
}

/** The implementation, and the calls made to find it. */
async function found(state: WorldState, code = CODE, answer: Uint8Array | null = null, input = '0x') {
  const questions: string[] = [];
  const ask = async (to: Uint8Array, data: Uint8Array): Promise<Uint8Array | null> => {
    questions.push(`${toHex(to)} ${toHex(data)}`);
    return answer;
  };
  const proxy = { state, address: PROXY, code, input: fromHex(input) };
  const target = await runTask(implementationOf(proxy, ask));
  return { target: target === null ? null : toHex(target), questions };
}

const asWord = (address: string): Uint8Array => fromHex(`0x${'00'.repeat(12)}${address.slice(2)}`);

describe('implementation of a proxy', () => {
  it.each([
    ['EIP-1967', '0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc'],
    ['EIP-1822', '0xc5f16f0fcc639fa48a6947836d9850f504798523bf8c9a3a87d5876cf622bcf7'],
    ['ZeppelinOS', '0x7050c9e0f4ca769c69bd3a8ef740bc37934f8e2c036e5a723fd8ee048ed3f8c3'],
  ])('the implementation is read from the slot of %s', async (_, slot) => {
    expect(await found(withSlot(slot, TARGET))).toEqual({ target: TARGET, questions: [] });
  });

  const BEACON_SLOT = '0xa3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6cb3582b35133d50';
  const BEACON = `0x${'c2'.repeat(20)}`;

  it('the implementation is returned by the beacon', async () => {
    const state = withSlot(BEACON_SLOT, BEACON);
    expect(await found(state, CODE, asWord(TARGET))).toEqual({
      target: TARGET,
      questions: [`${BEACON} 0x5c60da1b`],
    });
  });

  it.each([
    ['fails', null],
    ['answers too little', fromHex('0x01')],
    ['answers zero', new Uint8Array(32)],
  ])('the implementation is null if the beacon %s', async (_, answer) => {
    expect((await found(withSlot(BEACON_SLOT, BEACON), CODE, answer)).target).toBeNull();
  });

  it.each([
    ['EIP-1167', '363d3d373d3d3d363d73', '5af43d82803e903d91602b57fd5bf3'],
    ['Solady', '3d3d3d3d363d3d37363d73', '5af43d3d93803e602a57fd5bf3'],
    ['Solady with PUSH0', '5f5f365f5f37365f73', '5af43d5f5f3e6029573d5ffd5b3d5ff3'],
    ['EIP-7511', '365f5f375f5f365f73', '5af43d5f5f3e5f3d91602a57fd5bf3'],
  ])(
    'the implementation is read from the code of a minimal proxy of %s, with or without arguments',
    async (_, head, tail) => {
      const minimal = `0x${head}${TARGET.slice(2)}${tail}`;
      for (const code of [minimal, `${minimal}0102`].map((text) => fromHex(text))) {
        expect(isMinimalProxy(code)).toBe(true);
        expect(await found(WorldState.empty(), code)).toEqual({ target: TARGET, questions: [] });
      }
      expect(isMinimalProxy(fromHex(minimal.slice(0, -2)))).toBe(false);
    },
  );

  it('the implementation is null for other contracts, without any call', async () => {
    expect(await found(WorldState.empty(), CODE, asWord(TARGET), '0x12345678')).toEqual({
      target: null,
      questions: [],
    });
  });
});

describe('diamond proxies', () => {
  const artifactOf = (name: string): { abi: Abi; bytecode: Hex; deployedBytecode: Hex } =>
    JSON.parse(
      readFileSync(new URL(`../../fixtures/artifacts/cancun/${name}.json`, import.meta.url), 'utf8'),
    );
  const [diamond, facet] = [artifactOf('Diamond'), artifactOf('RoomFacet')];
  const outputOf = ({ abi, bytecode, deployedBytecode }: typeof diamond) => ({
    abi,
    evm: {
      bytecode: { object: bytecode.slice(2) },
      deployedBytecode: { object: deployedBytecode.slice(2) },
    },
  });

  it('the log contains the facet of the called function', async () => {
    const node = await start(['--no-artifacts', '--hardfork', 'cancun']);
    const call = (method: string, params: readonly unknown[] = []) => resultAt(node.url, method, params);
    const content = readFileSync(new URL('../../fixtures/contracts/Diamond.sol', import.meta.url), 'utf8');
    await call('inspect_addArtifacts', [
      { language: 'Solidity', sources: { 'Diamond.sol': { content } } },
      { contracts: { 'Diamond.sol': { Diamond: outputOf(diamond), RoomFacet: outputOf(facet) } } },
    ]);
    const [from] = (await call('eth_accounts')) as Hex[];
    const send = async (transaction: object): Promise<Hex> => {
      const hash = await call('eth_sendTransaction', [{ from, gas: '0x1e8480', ...transaction }]);
      return ((await call('eth_getTransactionReceipt', [hash])) as { contractAddress: Hex }).contractAddress;
    };
    const room = await send({ data: facet.bytecode });
    const selectors = [toFunctionSelector('nameRoom(uint256,string)')];
    const to = await send({ data: encodeDeployData({ ...diamond, args: [selectors, room] }) });
    const data = encodeFunctionData({ abi: facet.abi, functionName: 'nameRoom', args: [7n, 'hall'] });
    await send({ to, data });
    await node.end();
    expect(node.host.written.output).toContain(
      'Contract call:  Diamond → RoomFacet.nameRoom(room: 7, name: "hall")\n',
    );
  });
});
