/** The results of `inspect_transaction` and `inspect_call` with a page of lines. */

export interface NamedAddress {
  readonly address: string;
  readonly name: string | null;
}

export interface DecodedParameter {
  readonly name: string;
  readonly type: string;
  readonly value: unknown;
  /** The name of a number, for codes with known names. */
  readonly meaning?: string;
}

export interface DecodedEntry {
  readonly name: string;
  readonly signature: string;
  readonly parameters: readonly DecodedParameter[];
}

export interface Failure {
  readonly message: string;
  readonly error: DecodedEntry | null;
}

export interface StackFrame {
  readonly contract: string | null;
  readonly function: string | null;
  readonly source: string | null;
  readonly line: number | null;
  readonly column: number | null;
  readonly address?: string;
}

/** An output of a Bitcoin transaction. */
export interface ParentOutput {
  /** Decimal. */
  readonly satoshis: string;
  readonly address: string | null;
  readonly isToFederation: boolean;
  /** The data of an `OP_RETURN` output. */
  readonly data: string | null;
  /** The instructions of a peg-in in the data. */
  readonly instructions: {
    readonly version: number;
    readonly receiver: string;
    readonly refundAddress: string | null;
  } | null;
}

/** A Bitcoin transaction in a call or event of Rootstock's Bridge. */
export interface ParentTransaction {
  readonly id: string;
  readonly inputs: readonly {
    readonly id: string;
    readonly index: number;
    readonly address: string | null;
  }[];
  readonly outputs: readonly ParentOutput[];
  /** The number of omitted inputs and outputs. */
  readonly omitted: number;
}

export interface InspectedEvent {
  readonly kind: 'event';
  readonly emitter: NamedAddress;
  readonly event: DecodedEntry | null;
  readonly isGuess: boolean;
  readonly topics: readonly string[];
  readonly data: string;
  readonly parentTransaction?: ParentTransaction;
}

export interface InspectedConsole {
  readonly kind: 'console';
  readonly text: string;
}

export interface InspectedCall {
  readonly kind: 'call';
  readonly type: string;
  readonly from: NamedAddress;
  readonly to: NamedAddress;
  readonly call: DecodedEntry | null;
  /** The name of the selected function, or `<fallback>` or similar; `null` if unknown. */
  readonly meant: string | null;
  readonly results: readonly DecodedParameter[] | null;
  readonly isGuess: boolean;
  readonly implementation: NamedAddress | null;
  readonly value: string;
  readonly gas: string;
  readonly gasUsed: string;
  readonly ownGas: string;
  readonly outcome: string;
  readonly failure: Failure | null;
  readonly input: string;
  readonly output: string;
  /** False if the address has no code and is not a precompile. */
  readonly hasCode: boolean;
  readonly parentTransaction?: ParentTransaction;
  /** The decisions that a precompile reported. */
  readonly remarks?: readonly string[];
}

export interface CallLine {
  /** Index among all lines; a call precedes its inner lines. */
  readonly index: number;
  readonly depth: number;
  /** The number of inner lines. */
  readonly below: number;
  /** The number of direct inner calls. */
  readonly calls: number;
  /** The earlier calls within the same call, and their gas (QUANTITY). */
  readonly callsBefore: number;
  readonly gasBefore: string;
  readonly item: InspectedCall | InspectedEvent | InspectedConsole;
}

export interface StorageChange {
  readonly account: NamedAddress;
  readonly contract: string | null;
  readonly variable: string | null;
  readonly type: string | null;
  readonly slot: string;
  readonly before: unknown;
  readonly after: unknown;
}

export interface BalanceChange {
  readonly account: NamedAddress;
  readonly before: string;
  readonly after: string;
  readonly feePaid: string;
  readonly feeReceived: string;
}

export interface TokenChange {
  readonly token: NamedAddress;
  readonly account: NamedAddress;
  readonly symbol?: string | null;
  readonly decimals?: number | null;
  readonly id: string | null;
  readonly change: string;
}

export interface StateChanges {
  readonly storage: readonly StorageChange[];
  readonly transientStorage: readonly StorageChange[];
  readonly omittedSlots: number;
  readonly balances: readonly BalanceChange[];
  readonly tokens: readonly TokenChange[];
}

/** Lists that a result may cut. */
export type Omitted = Partial<
  Record<'stackTrace' | 'labels' | 'storage' | 'transientStorage' | 'balances' | 'tokens', number>
>;

export interface Inspection {
  readonly changes?: StateChanges | null;
  readonly call: InspectedCall;
  /** The number of all lines of the tree. */
  readonly lineCount: number;
  readonly lines: readonly CallLine[];
  /** The first line after the page; `null` at the end. */
  readonly next: number | null;
  /** Total gas (QUANTITY). */
  readonly gasUsed: string;
  readonly failure: Failure | null;
  readonly stackTrace: readonly StackFrame[];
  readonly stack: string;
  /** The number of omitted entries by list; absent for complete lists. */
  readonly omitted: Omitted;
}
