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

/** Maximum bytes of data and signatures, because more would take too long to encode. */
const MAX_OPERATION = 2 ** 20;

function operationContext({
  node: { chain },
  services: { reputations },
  settings: { erc7562, compat },
  deadline,
  generation,
  call,
}: RpcContext): OperationContext {
  return { chain, reputations, erc7562, receiptCompat: compat, deadline, generation, call };
}

/**
 * Rejects with {@link InvalidParamsError} for an address without an EntryPoint, for an operation that is too
 * large, and for a delegation under a hardfork without EIP-7702.
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
  if (size > MAX_OPERATION) {
    const expected = `at most ${MAX_OPERATION} bytes of data and signatures in total`;
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
   * Sends a user operation (ERC-4337) to an EntryPoint of version 0.7 or later, in a transaction of the
   * bundler account. If the EntryPoint rejects it, the error is one of ERC-7769 (-32500, -32501, -32503,
   * -32507) and it is not sent. An operation whose call fails is mined as unsuccessful. With `--erc7562`, an
   * operation whose validation breaks a rule of ERC-7562 is not sent either (-32502); the error data lists the rules.
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
   * Returns the gas of a user operation, which may have dummy signatures. Its parts are executed in the order
   * of the EntryPoint. A failed part rejects: -32500 for the account, -32501 for the paymaster, -32521 for
   * the call.
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
  /** Returns `null` if the operation is neither mined nor in the pool. */
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
  /** Returns `null` if the operation is not mined. */
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
  /** Returns the EntryPoints 0.9, 0.8 and 0.7 that exist on the chain. */
  defineMethod({
    name: 'eth_supportedEntryPoints',
    summary: 'The supported EntryPoints (ERC-4337)',
    differs: NO_PEER,
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
