import { toHex } from '../../../primitives/hex.ts';
import { stateOverrides } from '../../codecs/call-overrides.ts';
import { address, QUANTITY_JSON_SCHEMA, word32 } from '../../codecs/hex-values.ts';
import { estimatedOperation, sentOperation } from '../../codecs/user-operation.ts';
import { defineMethod, type Method, optional, param } from '../../method.ts';

const NO_PEER = 'Not in Anvil, Hardhat or Ganache; bundlers provide this method';

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
      const { sendOperation } = await import('../../user-operations/bundler.ts');
      return toHex(await sendOperation(context, operation, entryPoint));
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
      const { estimateOperation } = await import('../../user-operations/gas-estimate.ts');
      return estimateOperation(context, operation, entryPoint, accounts);
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
      const { operationByHash } = await import('../../user-operations/bundler.ts');
      return operationByHash(context, hash);
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
      const { operationReceipt } = await import('../../user-operations/bundler.ts');
      return operationReceipt(context, hash);
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
    handler: async (context) => {
      const { supportedEntryPoints } = await import('../../user-operations/bundler.ts');
      return supportedEntryPoints(context);
    },
  }),
];
