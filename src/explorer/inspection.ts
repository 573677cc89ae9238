/** The answers of `inspect_transaction` and `inspect_call`. */

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
  readonly items: readonly InspectedItem[];
}

export type InspectedItem = InspectedCall | InspectedEvent | InspectedConsole;

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

export interface Inspection {
  readonly changes?: StateChanges | null;
  readonly call: InspectedCall;
  /** Gas in all, a quantity. */
  readonly gasUsed: string;
  readonly failure: Failure | null;
  readonly stackTrace: readonly StackFrame[];
  readonly stack: string;
}

/** One line of a call tree. */
export interface TreeLine {
  readonly depth: number;
  readonly item: InspectedItem;
  /** The places of the items from the root on, as `0.2.1`: no other line has it. */
  readonly path: string;
  /** How many lines are below it; 0 for an item without any. */
  readonly below: number;
}

/** Returns the lines of a tree, without those inside calls whose paths are in `closed`. Nested as deep as calls can be. */
export function treeLines(root: InspectedCall, closed: ReadonlySet<string>): TreeLine[] {
  const lines: TreeLine[] = [];
  const waiting: { readonly item: InspectedItem; readonly depth: number; readonly path: string }[] = [
    { item: root, depth: 0, path: '0' },
  ];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { item, depth, path } = next;
    const inside = item.kind === 'call' ? item.items : [];
    lines.push({ item, depth, path, below: inside.length });
    if (closed.has(path)) continue;
    for (let index = inside.length - 1; index >= 0; index--) {
      const inner = inside[index];
      if (inner !== undefined) waiting.push({ item: inner, depth: depth + 1, path: `${path}.${index}` });
    }
  }
  return lines;
}
