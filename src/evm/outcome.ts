/**
 * How an execution ended: `success`; `revert`, by the code's own will with data; `halt`, for a breach of the rules
 * (out of gas, invalid opcode, …) that uses up all gas.
 */
export type Outcome = 'success' | 'revert' | 'halt';
