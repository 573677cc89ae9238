import type { OperationContext } from '../../../bundler/operation-context.ts';
import type { UserOperation } from '../../../bundler/user-operation.ts';
import { equalBytes } from '../../../primitives/bytes.ts';
import { fromHex, toHex } from '../../../primitives/hex.ts';
import { stateOverrides } from '../../codecs/call-overrides.ts';
import { address, QUANTITY_JSON_SCHEMA, word32 } from '../../codecs/hex-values.ts';
import { estimatedOperation, sentOperation } from '../../codecs/user-operation.ts';
import { InvalidParamsError } from '../../errors.ts';
import { defineMethod, type Method, optional, param } from '../../method.ts';
import type { RpcContext } from '../../rpc-context.ts';

const NO_PEER = 'Not in Anvil, Hardhat or Ganache; bundlers provide this method';

/** Bytes of data and signatures in an operation, more than a transaction can have. The encoding of larger ones would take too long. */
const LARGEST_OPERATION = 2 ** 20;

function operationContext({
  node: { chain },
  services: { reputations },
  settings: { erc7562, compat },
  deadline,
  generation,
  call,
}: RpcContext): OperationContext {
  return { chain, reputations, erc7562, receiptDialect: compat, deadline, generation, call };
}

/**
 * Rejects with an {@link InvalidParamsError} for an address without an EntryPoint, for an operation that is too large, and for a
 * delegation under a hardfork without EIP-7702.
 */
async function requireAcceptable(
  { node: { chain } }: RpcContext,
  operation: UserOperation,
  entryPoint: Uint8Array,
): Promise<void> {
  const { sizeOf, supportedEntryPoints } = await import('../../../bundler/bundler.ts');
  const supported = await supportedEntryPoints(chain);
  if (!supported.some((each) => equalBytes(fromHex(each), entryPoint))) {
    const expected =
      supported.length === 0
        ? 'the address of an EntryPoint (this chain has no EntryPoint)'
        : `one of ${supported.join(', ')}`;
    throw new InvalidParamsError('entryPoint', expected, toHex(entryPoint));
  }
  const size = sizeOf(operation);
  if (size > LARGEST_OPERATION) {
    const expected = `at most ${LARGEST_OPERATION} bytes of data and signatures in total`;
    throw new InvalidParamsError('userOperation', expected, String(size));
  }
  const { name, transactionTypes } = chain.ruleSet;
  if (operation.authorization !== null && !transactionTypes.includes(4)) {
    const expected = `no value, because hardfork ${name} has no authorizations (use another --hardfork)`;
    throw new InvalidParamsError('userOperation.eip7702Auth', expected, 'an authorization');
  }
}

export const ETH_USER_OPERATIONS: readonly Method[] = [
  /**
   * Sends a user operation of a smart account (ERC-4337) to an EntryPoint from 0.7 on, in a transaction of an account that the node
   * keeps for that, which is mined as others are. An operation that the EntryPoint does not take is an error of ERC-7769 (-32500,
   * -32501, -32503, -32507) and is not sent; one whose call fails is on the chain with `success: false`. With `--erc7562` one whose
   * validation breaks a rule of ERC-7562 is not sent either (-32502), and the error's data lists the rules.
   */
  defineMethod({
    name: 'eth_sendUserOperation',
    summary: 'Sends a user operation of a smart account to an EntryPoint (ERC-4337)',
    differs: NO_PEER,
    params: [param('userOperation', sentOperation), param('entryPoint', address)],
    needsKeys: true,
    result: { description: 'The hash of the user operation', schema: word32.jsonSchema },
    handler: async (context, operation, entryPoint) => {
      const { sendOperation } = await import('../../../bundler/bundler.ts');
      await requireAcceptable(context, operation, entryPoint);
      return toHex(await sendOperation(operationContext(context), operation, entryPoint));
    },
  }),
  /**
   * The gas that a user operation needs, with dummies for its signatures: its parts are run one after the other as the EntryPoint
   * does. A part that fails is an error: -32500 for the account, -32501 for the paymaster, -32521 for the call.
   */
  defineMethod({
    name: 'eth_estimateUserOperationGas',
    summary: 'The gas limits of a user operation (ERC-4337)',
    differs: NO_PEER,
    params: [
      param('userOperation', estimatedOperation),
      param('entryPoint', address),
      optional('stateOverrides', stateOverrides, []),
    ],
    result: {
      description: 'The gas limits of the operation, and of its paymaster if it has one',
      schema: {
        type: 'object',
        properties: {
          preVerificationGas: QUANTITY_JSON_SCHEMA,
          verificationGasLimit: QUANTITY_JSON_SCHEMA,
          callGasLimit: QUANTITY_JSON_SCHEMA,
          paymasterVerificationGasLimit: QUANTITY_JSON_SCHEMA,
          paymasterPostOpGasLimit: QUANTITY_JSON_SCHEMA,
        },
        required: ['preVerificationGas', 'verificationGasLimit', 'callGasLimit'],
      },
    },
    handler: async (context, operation, entryPoint, accounts) => {
      const { estimateOperation } = await import('../../../bundler/gas-estimate.ts');
      await requireAcceptable(context, operation, entryPoint);
      return estimateOperation(operationContext(context), operation, entryPoint, accounts);
    },
  }),
  /** A user operation by its hash, with the transaction that it came in: `null` for one that neither the chain nor the pool has. */
  defineMethod({
    name: 'eth_getUserOperationByHash',
    summary: 'A user operation by its hash (ERC-4337)',
    differs: NO_PEER,
    params: [param('userOperationHash', word32)],
    result: {
      description: 'The operation, its EntryPoint, block and transaction',
      schema: { oneOf: [{ type: 'object' }, { type: 'null' }] },
    },
    handler: async (context, hash) => {
      const { operationByHash } = await import('../../../bundler/bundler.ts');
      return operationByHash(operationContext(context), hash);
    },
  }),
  /** The outcome of a user operation, with its logs and the receipt of the transaction; `null` for one that is not on the chain. */
  defineMethod({
    name: 'eth_getUserOperationReceipt',
    summary: 'The receipt of a user operation (ERC-4337)',
    differs: NO_PEER,
    params: [param('userOperationHash', word32)],
    result: {
      description: 'Success, cost and logs of the operation, and the receipt of its transaction',
      schema: { oneOf: [{ type: 'object' }, { type: 'null' }] },
    },
    handler: async (context, hash) => {
      const { operationReceipt } = await import('../../../bundler/bundler.ts');
      return operationReceipt(operationContext(context), hash);
    },
  }),
  /** The addresses of the EntryPoints that take user operations: those of 0.9, 0.8 and 0.7, as far as they are on the chain. */
  defineMethod({
    name: 'eth_supportedEntryPoints',
    summary: 'The supported EntryPoints (ERC-4337)',
    differs: NO_PEER,
    params: [],
    result: {
      description: 'The addresses, newest first',
      schema: { type: 'array', items: address.jsonSchema },
    },
    handler: async ({ node: { chain } }) => {
      const { supportedEntryPoints } = await import('../../../bundler/bundler.ts');
      return supportedEntryPoints(chain);
    },
  }),
];
