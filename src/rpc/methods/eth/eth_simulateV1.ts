import type { SimulatedBlock, SimulatedBlockRequest } from '../../../chain/execution/simulation.ts';
import { perform, type Steps } from '../../../primitives/steps.ts';
import { mapInPieces, WorkPieces } from '../../../primitives/work-pieces.ts';
import { blockSelector, LATEST } from '../../codecs/block-selector.ts';
import { type SimulatedBlockObject, simulation } from '../../codecs/simulation.ts';
import { defineMethod, optional, param } from '../../method.ts';
import type { RpcContext } from '../../rpc-context.ts';
import { callMessage, typeOf } from '../../transaction-request.ts';
import { simulatedBlockView } from '../../views/simulation.ts';

/** Units of work for a call of a request, and for the answer to it. */
const CALL_WORK = 128;

function* requestsOf(
  context: RpcContext,
  blocks: readonly SimulatedBlockObject[],
  pieces: WorkPieces,
): Steps<SimulatedBlockRequest[]> {
  const requests: SimulatedBlockRequest[] = [];
  for (const [position, block] of blocks.entries()) {
    const path = `simulation.blockStateCalls[${position}].calls`;
    let index = 0;
    const calls = yield* mapInPieces(
      block.calls ?? [],
      pieces,
      () => CALL_WORK,
      (call) => ({
        message: callMessage(context, call, `${path}[${index++}]`),
        type: typeOf(call, context.chain),
        nonce: call.nonce,
      }),
    );
    const overrides = { accounts: block.stateOverrides ?? [], block: block.blockOverrides ?? {} };
    requests.push({ overrides, calls });
    const turn = pieces.spend(CALL_WORK);
    if (turn !== undefined) yield turn;
  }
  return requests;
}

/**
 * Simulates blocks of calls on top of a block, each on the state that the one before left, with accounts and blocks
 * overridden as asked. Blocks stand 12 seconds apart unless they say when, and gaps in their numbers are filled with
 * empty ones: 256 blocks in all. With `validation` nonces and fees must be right; without, the base fee is 0 and a
 * balance must only cover the value. A call that fails has an `error` and status 0; one that cannot stand in its block
 * at all makes the whole answer an error, with the codes of the Ethereum execution APIs. Precompiles cannot be moved.
 */
export const eth_simulateV1 = defineMethod({
  name: 'eth_simulateV1',
  summary: 'Simulates blocks of calls with overridden accounts and blocks',
  params: [param('simulation', simulation), optional('block', blockSelector, LATEST)],
  result: {
    description: 'The blocks, each with what its calls did under calls',
    schema: { type: 'array', items: { type: 'object' } },
  },
  example: {
    params: [
      {
        blockStateCalls: [
          {
            blockOverrides: { time: '0x6553f200' },
            stateOverrides: { '0x00000000000000000000000000000000000000aa': { balance: '0x64' } },
            calls: [
              {
                from: '0x00000000000000000000000000000000000000aa',
                to: '0x70997970c51812dc3a010c7d01b50e0d17dc79c8',
                value: '0x1',
              },
            ],
          },
        ],
        traceTransfers: true,
      },
      'latest',
    ],
    result: [
      {
        number: '0x5',
        hash: '0x99cbdbfa86c66d09d0d8179a59eec1a44c4dace2afddd6bb2e8254d74c382503',
        nonce: '0x0000000000000000',
        logsBloom:
          '0x00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000',
        parentHash: '0x37ff2ce6eadf83bf01123a7e29cb386da3b312458d7a694a1c66dad7179d3e0c',
        sha3Uncles: '0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347',
        transactionsRoot: '0x1ba05010e8edd89d45d4fc0b02f483a3a84d3e0dc5f8264f8fcc57d0f06aa120',
        stateRoot: '0x0dcaf208cad1a2f538794b42fc15306f1770b175b0b500c74e5ac219c603c8f7',
        receiptsRoot: '0x5ea58a3d7b9abde3aff0772c4fd7ee9768c3b787335af88f21d74b7ba001cb6e',
        miner: '0xec4ddeb4380ad69b3e509baad9f158cdf4e4681d',
        difficulty: '0x1',
        extraData: '0x',
        gasLimit: '0x1c9c380',
        gasUsed: '0x5208',
        timestamp: '0x6553f200',
        mixHash: '0x0000000000000000000000000000000000000000000000000000000000000000',
        minimumGasPrice: '0x0',
        parentchainMergedMiningHeader: '0x',
        parentchainMergedMiningCoinbaseTransaction: '0x',
        parentchainMergedMiningMerkleProof: '0x',
        hashForMergedMining: '0xc78baf48f742750c7640f14b8b7c1b8b1e79e06fc2f3cf24f57746581c2b2b8d',
        paidFees: '0x0',
        cumulativeDifficulty: '0x1',
        totalDifficulty: '0x6',
        size: '0x1fe',
        transactions: ['0x97c243483406a1bbba3f0fc4302f7451317d35452373a94069cea69e6660690b'],
        uncles: [],
        calls: [
          {
            returnData: '0x',
            logs: [
              {
                address: '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee',
                topics: [
                  '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef',
                  '0x00000000000000000000000000000000000000000000000000000000000000aa',
                  '0x00000000000000000000000070997970c51812dc3a010c7d01b50e0d17dc79c8',
                ],
                data: '0x0000000000000000000000000000000000000000000000000000000000000001',
                blockNumber: '0x5',
                blockHash: '0x99cbdbfa86c66d09d0d8179a59eec1a44c4dace2afddd6bb2e8254d74c382503',
                blockTimestamp: '0x6553f200',
                transactionHash: '0x97c243483406a1bbba3f0fc4302f7451317d35452373a94069cea69e6660690b',
                transactionIndex: '0x0',
                logIndex: '0x0',
                removed: false,
              },
            ],
            gasUsed: '0x5208',
            maxUsedGas: '0x5208',
            status: '0x1',
          },
        ],
      },
    ],
  },
  handler: async (context, { blocks, full, ...options }, selector) => {
    const { chain, settings, checkInterrupt } = context;
    const pieces = new WorkPieces(checkInterrupt);
    const requests = await perform(requestsOf(context, blocks, pieces));
    const simulated = await chain.simulation.blocks(requests, selector, options, checkInterrupt);
    const { fieldNames } = settings;
    const work = ({ results }: SimulatedBlock): number => CALL_WORK * (1 + results.length);
    return perform(
      mapInPieces(simulated, pieces, work, (block) =>
        simulatedBlockView(block, { full, fieldNames, rules: chain.ruleSet }),
      ),
    );
  },
});
