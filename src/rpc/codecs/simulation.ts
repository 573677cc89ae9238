import { boolean } from './basic.ts';
import {
  authorizationProblem,
  messageFields,
  settledMessage,
  transactionType,
  typeProblem,
} from './call-object.ts';
import { blockOverrides, stateOverrides } from './call-overrides.ts';
import { arrayOf, type Decoded, objectOf, refined } from './codec.ts';
import { quantity } from './quantity.ts';

/** A call that stands in a simulated block: a call object with a nonce and a type. */
const simulatedCall = refined(
  refined(
    objectOf(
      { ...messageFields, nonce: quantity, type: transactionType },
      'a call object with from, to, gas, gasPrice, value, data or input, nonce',
    ),
    settledMessage,
  ),
  (fields) => authorizationProblem(fields) ?? typeProblem(fields) ?? { value: fields },
);

const simulatedBlock = objectOf(
  { blockOverrides, stateOverrides, calls: arrayOf(simulatedCall, 'an array of call objects') },
  'an object with blockOverrides, stateOverrides and calls',
);

const EXPECTED = 'an object with blockStateCalls, traceTransfers, validation and returnFullTransactions';

/** What `eth_simulateV1` is asked to simulate: at least one block. */
export const simulation = refined(
  objectOf(
    {
      blockStateCalls: arrayOf(simulatedBlock, 'an array of blocks'),
      traceTransfers: boolean,
      validation: boolean,
      returnFullTransactions: boolean,
    },
    EXPECTED,
  ),
  ({ blockStateCalls, traceTransfers, validation, returnFullTransactions }) => {
    if (blockStateCalls === null || blockStateCalls.length === 0) {
      return { path: ['blockStateCalls'], expected: 'at least one block (empty input)' };
    }
    return {
      value: {
        blocks: blockStateCalls,
        tracesTransfers: traceTransfers === true,
        validates: validation === true,
        full: returnFullTransactions === true,
      },
    };
  },
);

/** A decoded block that is to be simulated. */
export type SimulatedBlockObject = Decoded<typeof simulatedBlock>;
