import { OpcodeGasTracer } from '../../../evm/tracers/opcode-gas-tracer.ts';
import { toHex } from '../../../primitives/hex.ts';
import { type JsonSchema, objectSchema, orNull } from '../../../wire/json.ts';
import { blockSelector } from '../../codecs/block-selector.ts';
import { hash32 } from '../../codecs/data.ts';
import { defineMethod, type Method, param } from '../../method.ts';

const OPCODE_GAS_JSON_SCHEMA: JsonSchema = objectSchema({
  transactionHash: hash32.jsonSchema,
  opcodeGas: {
    type: 'array',
    items: objectSchema({
      opcode: { type: 'string' },
      count: { type: 'integer' },
      gasUsed: { type: 'integer' },
    }),
  },
});

const createTracer = (): OpcodeGasTracer => new OpcodeGasTracer();

const DIFFERS =
  'Gas that a call or creation passes on is counted with the opcodes that use it alone; the most gas first';

export const TRACE_OPCODE_GAS: readonly Method[] = [
  /** The number of runs of each opcode by the transactions of a block, and their gas; `null` for an unknown block. */
  defineMethod({
    name: 'trace_blockOpcodeGas',
    summary: 'The opcodes that the transactions of a block ran, with their gas',
    differs: DIFFERS,
    params: [param('block', blockSelector)],
    fork: { kind: 'block', at: 0, answer: 'anything' },
    result: {
      description: 'The block, and the opcodes of each transaction, or null',
      schema: orNull(
        objectSchema({
          blockHash: hash32.jsonSchema,
          blockNumber: { type: 'integer' },
          transactions: { type: 'array', items: OPCODE_GAS_JSON_SCHEMA },
        }),
      ),
    },
    handler: async ({ chain, checkInterrupt }, selector) => {
      const block = await chain.block(selector);
      if (block === undefined) return null;
      const traced = await chain.tracing.block(block, createTracer, { checkInterrupt });
      return {
        blockHash: toHex(block.hash),
        blockNumber: block.header.number,
        transactions: traced.map(({ transaction, trace }) => ({
          transactionHash: toHex(transaction.hash),
          opcodeGas: trace,
        })),
      };
    },
  }),
  /**
   * The number of runs of each opcode by a mined transaction, and their gas; `null` for an unknown one. The gas of all together is
   * what the code used, before refunds, without the intrinsic cost and the deposits of code.
   */
  defineMethod({
    name: 'trace_transactionOpcodeGas',
    summary: 'The opcodes that a transaction ran, with their gas',
    differs: DIFFERS,
    params: [param('transactionHash', hash32)],
    fork: { kind: 'transaction', at: 0, answer: 'anything' },
    result: {
      description: 'The opcodes with their counts and their gas, or null',
      schema: orNull(OPCODE_GAS_JSON_SCHEMA),
    },
    handler: async ({ chain, checkInterrupt }, hash) => {
      const location = chain.transaction(hash);
      if (location === undefined) return null;
      const { block, index } = location;
      const opcodeGas = await chain.tracing.transaction(block, index, createTracer, checkInterrupt);
      return { transactionHash: toHex(hash), opcodeGas };
    },
  }),
];
