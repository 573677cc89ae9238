import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import {
  operationNames,
  operationTable,
  protocolSource,
  requireCases,
} from '../../../src/evm/interpreter/assembly/generate.ts';
import { ruleParameters } from '../../../src/evm/interpreter/rule-parameters.ts';
import { OPCODES } from '../../../src/protocol/hardforks/opcodes.ts';
import { RULE_SET_NAMES, ruleSetNamed } from '../../../src/protocol/hardforks/registry.ts';

const ASSEMBLY = fileURLToPath(new URL('../../../src/evm/interpreter/assembly/', import.meta.url));
const OPERATIONS = readFileSync(`${ASSEMBLY}operations.ts`, 'utf8');

describe('protocol numbers of host and module', () => {
  it('generated/protocol.ts matches its source', () => {
    expect(readFileSync(`${ASSEMBLY}generated/protocol.ts`, 'utf8')).toBe(protocolSource(OPERATIONS));
  });

  it('the compiled modules match their source', () => {
    const { status, stderr } = spawnSync(process.execPath, [`${ASSEMBLY}build.mjs`, '--check'], {
      encoding: 'utf8',
    });
    expect(stderr).toBe('');
    expect(status).toBe(0);
  });

  it('every rule set has the same rule parameters in the same order', () => {
    const keys = RULE_SET_NAMES.map((name) =>
      Object.keys(ruleParameters(ruleSetNamed(name), { code: null, initcode: null })),
    );
    for (const each of keys) expect(each).toEqual(keys[0]);
  });
});

describe('operationTable', () => {
  const names = operationNames(OPERATIONS);

  it('maps an opcode to its own operation, the operation of its group, or INVALID', () => {
    const table = operationTable(names);
    const { ADD, SLOAD, CREATE2, DELEGATECALL, TIMESTAMP, PREVRANDAO, CLZ } = {
      ...OPCODES,
      PREVRANDAO: 0x44,
    };
    const operations = [ADD, SLOAD, CREATE2, DELEGATECALL, TIMESTAMP, PREVRANDAO, CLZ, 0x0c];
    expect(operations.map((opcode) => names[table[opcode] ?? -1])).toEqual([
      ...['ADD', 'SLOAD', 'CREATE', 'CALL', 'CONTEXT', 'CONTEXT', 'CLZ', 'INVALID'],
    ]);
  });

  it('throws for an opcode without an operation', () => {
    const withoutCopy = names.filter((name) => name !== 'MCOPY');
    expect(() => operationTable(withoutCopy)).toThrow('the opcode MCOPY has no operation');
  });

  it('operationNames throws for a line that is not an operation name', () => {
    const unread = OPERATIONS.replace('  MCOPY,', '  MCOPY = 7,');
    expect(() => operationNames(unread)).toThrow('operations.ts has a line that is no operation: MCOPY = 7,');
  });
});

describe('requireCases', () => {
  const names = operationNames(OPERATIONS);
  const loop = readFileSync(`${ASSEMBLY}run-loop.ts`, 'utf8');

  it('accepts the cases of the run loop', () => {
    expect(() => requireCases(names, loop)).not.toThrow();
  });

  it.each(names)('rejects a run loop without the case of %s', (name) => {
    const without = loop.replace(`case Operation.${name}:`, 'case NOTHING:');
    expect(() => requireCases(names, without)).toThrow(`run-loop.ts has no case for the operation ${name}`);
  });

  it('rejects cases in another order', () => {
    const swapped = ['MUL', 'ADD', ...names.slice(0, 1), ...names.slice(3)];
    expect(() => requireCases(swapped, loop)).toThrow('run-loop.ts has the case of STOP out of order');
  });
});
