import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { forkRule } from '../../../src/cli/commands/methods.ts';
import { runCommand } from '../../../src/cli/main.ts';
import { TOPIC_NAMES, TOPICS, takesOption } from '../../../src/config/commands.ts';
import { HELP_TOPICS } from '../../../src/config/help-topics.ts';
import { flagOf, groupOf, OPTION_ENTRIES } from '../../../src/config/options.ts';
import { METHOD_EXAMPLES } from '../../../src/rpc/method-examples.ts';
import { METHODS } from '../../../src/rpc/method-table.ts';
import { fakeHost } from '../support/fake-host.ts';

async function run(...commandLine: readonly string[]) {
  const host = fakeHost({ commandLine });
  await runCommand(host);
  return { ...host.written, code: await host.exited() };
}

async function printed(...commandLine: readonly string[]): Promise<string> {
  const { output, errors, code } = await run(...commandLine);
  expect({ errors, code }).toEqual({ errors: '', code: 0 });
  return output;
}

const NAMES = METHODS.flatMap(({ name, aliases }) => [name, ...aliases]);

describe('methods', () => {
  it('methods lists every name by namespace, with summary and the target of aliases', async () => {
    const lines = (await printed('methods')).split('\n');
    for (const method of METHODS) {
      for (const name of [method.name, ...method.aliases]) {
        const also = name === method.name ? '' : ` (as ${method.name})`;
        const line = lines.find((candidate) => candidate.startsWith(`  ${name} `));
        expect(line, name).toMatch(new RegExp(`^ {2}${name} +.`));
        expect(line?.endsWith(`${method.summary}${also}`), name).toBe(true);
      }
    }
    const headings = lines.filter((line) => /^[a-z]\w*$/.test(line));
    expect(headings).toEqual([...new Set(NAMES.map((name) => name.split(/[._]/, 1).join('')))]);
  });

  it('methods prints the documentation of a method', async () => {
    expect(await printed('methods', 'eth_getStorageAt')).toMatchInlineSnapshot(`
      "eth_getStorageAt(address, position, block)

      The value of a storage slot of a contract.

      Parameters:
        address (required): an address: 0x and 40 hexadecimal digits
        position (required): a storage position of at most 32 bytes (hexadecimal with 0x, a decimal string or a number)
        block (required; optional with --compat anvil or --compat hardhat): a block number below 2^64, latest, earliest, pending, safe or finalized, a 32-byte block hash, or an object with blockHash or blockNumber
          blockHash         32 bytes: 0x and 64 hexadecimal digits
          blockNumber       a block number below 2^64
          requireCanonical  true or false

      Result: The value of the slot, 32 bytes

      Example:
        curl -H 'content-type: application/json' http://127.0.0.1:8545 -d '{"jsonrpc":"2.0","id":1,"method":"eth_getStorageAt","params":["0xe7f1725e7734ce288f8367e1bb143e90bb3f0512","0x0","latest"]}'
        returns "0x000000000000000000000000000000000000000000000000000000000000002a"

      On forks: States before the fork block come from the fork URL; the states of the fork block and later blocks come from this chain.
      "
    `);
  });

  it.each(NAMES)('methods %s prints parameters, result, aliases and example', async (name) => {
    const method = METHODS.find((candidate) => [candidate.name, ...candidate.aliases].includes(name));
    const text = await printed('methods', name);
    expect(text).toMatch(new RegExp(`^${name.replace('.', '[.]')}\\(`));
    for (const parameter of method?.params ?? [])
      expect(text).toMatch(new RegExp(`^  ${parameter.name} \\((?:required|optional)[^)]*\\): \\S`, 'm'));
    // The members of objects are described as well.
    expect(text).not.toMatch(/^ {4}\w+ *$/m);
    for (const other of method?.aliases ?? []) expect(text).toContain(other);
    expect(text).toContain(method?.shapes[name]?.words ?? method?.result.description);
    expect(text).toContain(method?.differences[name] ?? 'Result: ');
    expect(text).toContain(`"method":"${name}","params":`);
    expect(text).not.toMatch(/undefined|\[object/);
  });

  it('methods with a prefix lists the matching methods', async () => {
    const lines = (await printed('methods', 'lane_')).split('\n');
    expect(lines[0]).toBe('lane');
    expect(lines.filter((line) => line.startsWith('  '))).toHaveLength(
      NAMES.filter((name) => name.startsWith('lane_')).length,
    );
    expect(await printed('methods', 'eth_chainI')).toContain('eth_chainId()');
  });

  it('methods --json prints JSON', async () => {
    const list = JSON.parse(await printed('methods', '--json'));
    expect(list.map(({ name }: { name: string }) => name).sort()).toEqual([...NAMES].sort());
    const one = JSON.parse(await printed('methods', 'eth_getStorageAt', '--json'));
    expect(one).toMatchObject({
      name: 'eth_getStorageAt',
      namespace: 'eth',
      params: [
        { name: 'address', required: true, optionalForPeers: false, schema: { type: 'string' } },
        { name: 'position' },
        { name: 'block', required: true, optionalForPeers: true },
      ],
      example: METHOD_EXAMPLES.eth_getStorageAt,
    });
  });

  it('methods lists the methods that contain a word', async () => {
    const { output } = await run('methods', 'bundle');
    for (const name of ['eth_callBundle', 'eth_sendBundle', 'mev_simBundle', 'tenderly_simulateBundle'])
      expect(output).toContain(name);
    expect(output).not.toContain('eth_blockNumber');
  });

  it('methods suggests the nearest name for an unknown one', async () => {
    expect(await run('methods', 'eth_getBalanse')).toEqual({
      output: '',
      errors: 'node-cli: unknown method "eth_getBalanse"; did you mean eth_getBalance?\n',
      code: 2,
    });
    expect((await run('methods', 'xyzzy')).errors).toBe(
      'node-cli: unknown method "xyzzy"; npx node-cli methods lists all methods\n',
    );
    expect((await run('methods', 'eth_call', 'now')).errors).toContain(
      'methods: unexpected argument "now"; expected only [name]',
    );
  });

  it('forkRule returns the fork behaviour of a method', () => {
    expect(forkRule({})).toBeNull();
    expect(forkRule({ fork: { kind: 'block' } })).toContain(
      'Blocks up to the fork block come from the fork URL',
    );
    expect(forkRule({ fork: { kind: 'own', because: 'the pool is its own' } })).toBe(
      'Only this chain is used: the pool is its own.',
    );
  });
});

describe('help', () => {
  it.each(TOPIC_NAMES)('help %s prints the topic with its options', async (name) => {
    const text = await printed('help', name);
    expect(text.startsWith(`${TOPICS[name]}\n\n`)).toBe(true);
    expect(text).not.toContain('`');
    expect(text.split('\n')).not.toContainEqual(expect.stringMatching(/^.{101}/));
    const [, options = ''] = text.split('\nOptions:\n');
    for (const [key] of OPTION_ENTRIES) {
      if (!HELP_TOPICS[name].groups.includes(groupOf(key))) continue;
      if (takesOption('start', key)) expect(text).toContain(flagOf(key));
      else expect(options).not.toContain(flagOf(key));
    }
  });

  it('help lists the topics and suggests one', async () => {
    const text = await printed('help', 'help');
    for (const name of TOPIC_NAMES) expect(text).toMatch(new RegExp(`^  ${name} +${TOPICS[name]}$`, 'm'));
    expect((await run('help', 'compa')).errors).toBe(
      'node-cli: unknown command or topic "compa"; did you mean compat?\n',
    );
    expect((await run('help', 'xyzzyq')).errors).toBe(
      'node-cli: unknown command or topic "xyzzyq"; npx node-cli help lists all commands and topics\n',
    );
  });

  it('topics contain only existing methods and options', () => {
    const flags = OPTION_ENTRIES.map(([key]) => flagOf(key));
    for (const { text } of Object.values(HELP_TOPICS)) {
      for (const [flag] of text.matchAll(/(?<![\w-])--[a-z][a-z0-9-]*/g)) expect(flags).toContain(flag);
      for (const [name] of text.matchAll(/\b(?:eth|evm|anvil|hardhat|lane|mnr|txpool)_\w+/g))
        expect(NAMES).toContain(name);
    }
  });

  it('the topic errors explains every error code', () => {
    const folder = new URL('../../../src/', import.meta.url);
    const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) =>
      path.endsWith('errors.ts'),
    );
    const codes = sources.flatMap((path) =>
      Array.from(
        readFileSync(new URL(path, folder), 'utf8').matchAll(/\bcode: (-?\d+),/g),
        ([, code]) => code,
      ),
    );
    expect(new Set(codes).size).toBeGreaterThan(8);
    for (const code of new Set(codes))
      expect(HELP_TOPICS.errors.text).toMatch(new RegExp(`(?<![\\d-])${code}\\b`));
  });
});
