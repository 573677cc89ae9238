/** The answers of `inspect_transaction` and `inspect_call` with a page of lines. */

export interface NamedAddress {
  readonly address: string;
  readonly name: string | null;
}

export interface DecodedParameter {
  readonly name: string;
  readonly type: string;
  readonly value: unknown;
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

export interface InspectedEvent {
  readonly kind: 'event';
  readonly emitter: NamedAddress;
  readonly event: DecodedEntry | null;
  readonly isGuess: boolean;
  readonly topics: readonly string[];
  readonly data: string;
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
  /** The name of the function that was meant, also of one without name; `null` where it is not known. */
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
  /** False where there is nothing that could run at the address. */
  readonly hasCode: boolean;
}

/** A line of a call tree. */
export interface CallLine {
  /** Its place among all lines; a call stands before what is inside it. */
  readonly index: number;
  readonly depth: number;
  /** The number of lines inside it. */
  readonly below: number;
  /** The number of calls that it made itself. */
  readonly calls: number;
  /** The calls before it inside the same call, and their gas as a quantity. */
  readonly callsBefore: number;
  readonly gasBefore: string;
  readonly item: InspectedCall | InspectedEvent | InspectedConsole;
}

/** A variable in storage that changed. */
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

/** Lists of an answer that can be cut. */
export type Omitted = Partial<
  Record<'stackTrace' | 'labels' | 'storage' | 'transientStorage' | 'balances' | 'tokens', number>
>;

export interface Inspection {
  readonly changes?: StateChanges | null;
  readonly call: InspectedCall;
  /** The number of all lines of the tree. */
  readonly lineCount: number;
  /** The lines of the page. */
  readonly lines: readonly CallLine[];
  /** The first line after the page; `null` at the end. */
  readonly next: number | null;
  /** Gas in all, a quantity. */
  readonly gasUsed: string;
  readonly failure: Failure | null;
  readonly stackTrace: readonly StackFrame[];
  readonly stack: string;
  /** By the name of a list, how many entries there are besides those in it; absent for whole ones. */
  readonly omitted: Omitted;
}
