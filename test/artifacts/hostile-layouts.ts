// Small solc layouts that describe more than the layout limits allow.

export interface GivenLayout {
  readonly storage: readonly object[];
  readonly types: Readonly<Record<string, object>>;
}

const UINT = { encoding: 'inplace', label: 'uint256', numberOfBytes: '32' };

function struct(label: string, ...types: readonly string[]): object {
  const members = types.map((type, at) => ({ label: `m${at}`, slot: String(at), offset: 0, type }));
  return { encoding: 'inplace', label: `struct ${label}`, numberOfBytes: String(32 * types.length), members };
}

/** A struct that contains itself twice. */
export function selfContaining(): GivenLayout {
  const storage = [{ label: 'root', slot: '0', offset: 0, type: 't_struct(Node)' }];
  return { storage, types: { 't_struct(Node)': struct('Node', 't_struct(Node)', 't_struct(Node)') } };
}

/** Structs that each use the next one twice: 2^count members. */
export function chainOfStructs(count: number): GivenLayout {
  const types: Record<string, object> = { t_uint256: UINT };
  for (let at = 0; at < count; at++) {
    const next = at === count - 1 ? 't_uint256' : `t_struct(S${at + 1})`;
    types[`t_struct(S${at})`] = struct(`S${at}`, next, next);
  }
  return { storage: [{ label: 'root', slot: '0', offset: 0, type: 't_struct(S0)' }], types };
}

export function wideLayout(count: number, name = 'v'): GivenLayout {
  const storage = Array.from({ length: count }, (_, at) => ({
    label: `${name}${at}`,
    slot: String(at),
    offset: 0,
    type: 't_uint256',
  }));
  return { storage, types: { t_uint256: UINT } };
}
