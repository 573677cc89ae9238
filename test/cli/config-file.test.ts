import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { readConfigFile } from '../../src/cli/config-file.ts';
import { settleCommandLine, splitCommandLine } from '../../src/cli/read-options.ts';
import type { NodeOptions } from '../../src/config/options.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { fakeHost } from './support/fake-host.ts';
import { start } from './support/started-node.ts';

let workingDirectory: string;

beforeEach(async () => {
  workingDirectory = await temporaryDirectory();
});

async function write(name: string, content: string | object): Promise<void> {
  const text = typeof content === 'string' ? content : JSON.stringify(content);
  await writeFile(join(workingDirectory, name), text);
}

/** The options of a command line in the working directory. Rejects with a `UsageError`. */
async function options(
  commandLine: readonly string[] = [],
  environment: Readonly<Record<string, string>> = {},
): Promise<NodeOptions> {
  const given = splitCommandLine(commandLine, environment);
  const named = given.given.get('config')?.texts.at(-1) ?? null;
  const file = await readConfigFile(named, fakeHost({ workingDirectory }));
  return settleCommandLine(given, file?.given).options;
}

describe('config file', () => {
  it('rejects a file nested deeper than 20 levels', async () => {
    await write('node-cli.config.json', `{"balance":${'['.repeat(100_000)}${']'.repeat(100_000)}}`);
    await expect(options()).rejects.toThrow('the JSON is nested deeper than 20 levels');
  });

  it('reads a negative fork block number', async () => {
    await write('node-cli.config.json', { forkUrl: 'https://a.b', forkBlockNumber: -5 });
    expect(await options()).toMatchObject({ forkBlockNumber: -5 });
  });

  it('reads options by their camel-case names, in any form that createNode accepts', async () => {
    await write('node-cli.config.json', {
      chainId: 31337,
      balance: '1.5',
      blockTime: 2,
      mixedMining: true,
      quiet: false,
      apiKey: ['a', 'b'],
      allowHost: 'c.d, e.f',
      forkUrl: [],
      timestamp: null,
      coinbase: `0x${'ab'.repeat(20)}`,
    });
    expect(await options()).toMatchObject({
      chainId: 31337,
      balance: 15n * 10n ** 17n,
      blockTime: 2,
      mixedMining: true,
      quiet: false,
      apiKey: ['a', 'b'],
      allowHost: ['c.d', 'e.f'],
      forkUrl: [],
      timestamp: null,
      coinbase: new Uint8Array(20).fill(0xab),
      config: 'node-cli.config.json',
    });
  });

  it('reads options by the flag names of Hardhat, Anvil and Ganache', async () => {
    await write('node-cli.config.json', {
      hostname: '::1',
      blockGasLimit: 21_001,
      noMine: true,
      formatJson: true,
    });
    expect(await options()).toMatchObject({ host: '::1', gasLimit: 21_001n, noMining: true, json: true });
  });

  it.each([
    ['node-cli.config.mjs', 'export default { gasLimit: 21_000n + 1n };'],
    ['node-cli.config.js', 'module.exports = { gasLimit: 21_001 };'],
  ])('reads the module %s', async (name, text) => {
    await write(name, text);
    expect((await options()).gasLimit).toBe(21_001n);
  });

  it('reads TypeScript with imports', async () => {
    await write('accounts.ts', 'export const ACCOUNTS: number = 3;\nexport type Count = number;');
    await write('chain.mts', 'export const chainId = 33 as number;');
    await write(
      'node-cli.config.ts',
      "import { EOL } from 'node:os';\nimport { ACCOUNTS, type Count } from './accounts.ts';\n" +
        "import { chainId } from './chain.mts';\n" +
        'interface Options { readonly port: Count; readonly accounts: Count; readonly chainId: number }\n' +
        'const port = EOL.length * 7;\n' +
        'export default { port, accounts: ACCOUNTS!, chainId } satisfies Options;',
    );
    expect(await options()).toMatchObject({ port: 7, accounts: 3, chainId: 33 });
  });

  it('reports a missing TypeScript import with a remedy, and a syntax error', async () => {
    await write('node-cli.config.ts', "import { port } from './port';\nexport default { port };");
    await expect(options()).rejects.toThrow(
      /^cannot read node-cli\.config\.ts: .*Cannot find module.*; import files with their extension, as in import "\.\/accounts\.ts"$/,
    );
    await write('other.ts', 'export default { port: = 1 };');
    await expect(options(['--config', 'other.ts'])).rejects.toThrow(/^cannot read other\.ts: /);
  });

  it('flags take precedence over the environment, and the environment over the file', async () => {
    await write('node-cli.config.json', { port: 1, accounts: 1, chainId: 1, verbose: true });
    const environment = { NODE_CLI_PORT: '2', NODE_CLI_ACCOUNTS: '2', NODE_CLI_VERBOSE: 'false' };
    const { port, accounts, chainId, verbose } = await options(['--port', '3'], environment);
    expect({ port, accounts, chainId, verbose }).toEqual({
      port: 3,
      accounts: 2,
      chainId: 1,
      verbose: false,
    });
  });

  it('--config selects the file instead of the default', async () => {
    await write('node-cli.config.json', { port: 1 });
    await write('other.json', { port: 2 });
    expect((await options(['--config', 'other.json'])).port).toBe(2);
    expect((await options([], { NODE_CLI_CONFIG: 'other.json' })).port).toBe(2);
    await expect(options(['--config', 'none.json'])).rejects.toThrow('--config: no file none.json');
    await expect(options(['--config', 'a.toml'])).rejects.toThrow(
      '--config: expected a file that ends in .json, ',
    );
  });

  it('rejects an invalid file in one line with the reason and the option', async () => {
    const refusals: readonly (readonly [content: string | object, message: string])[] = [
      ['{', 'cannot read node-cli.config.json: SyntaxError: '],
      ['[]', 'node-cli.config.json: expected an object of options, such as { port: 8545 }'],
      [{ prot: 1 }, 'unknown option prot in node-cli.config.json; did you mean port ('],
      [{ 'block-time': 1 }, 'in node-cli.config.json; did you mean blockTime ('],
      [{ 'rpc-url': 'a' }, 'unknown option rpc-url in node-cli.config.json; did you mean forkUrl ('],
      [
        { quiet: true, silent: true },
        'quiet in node-cli.config.json and silent in node-cli.config.json are the same option; remove one of them',
      ],
      [{ xyzzy: 1 }, 'unknown option xyzzy in node-cli.config.json; expected one of port, host, '],
      [{ help: true }, 'unknown option help'],
      [{ config: 'a.json' }, 'unknown option config'],
      [{ port: 'x' }, 'port in node-cli.config.json: expected a whole number from 0 to 65535, got "x"'],
      [{ port: true }, 'port in node-cli.config.json: expected a whole number from 0 to 65535, got true'],
      [{ quiet: 'yes' }, 'quiet in node-cli.config.json: expected true or false, got "yes"'],
      [{ dataDir: 7 }, 'dataDir in node-cli.config.json: expected the path of a directory, got '],
      [{ mixedMining: true }, 'mixedMining in node-cli.config.json requires --block-time; add '],
      [{ quiet: true, verbose: true }, 'verbose in node-cli.config.json cannot be used with quiet in '],
    ];
    for (const [content, message] of refusals) {
      await write('node-cli.config.json', content);
      const error: unknown = await options().catch((caught: unknown) => caught);
      expect(error).toMatchObject({ name: 'UsageError', message: expect.stringContaining(message) });
      expect(String(error)).not.toContain('\n');
    }
  });

  it.each([
    [
      'node-cli.config.mjs',
      "throw new Error('two\\nlines');",
      'cannot read node-cli.config.mjs: Error: two\\u000alines',
    ],
    [
      'node-cli.config.mjs',
      'export const port = 1;',
      'missing default export; write export default { port: 8545 }',
    ],
    ['node-cli.config.mjs', 'export default 7;', 'node-cli.config.mjs: expected an object of options'],
    ['node-cli.config.mjs', 'export default {', 'cannot read node-cli.config.mjs: '],
  ])('rejects the module %s with content %s', async (name, text, message) => {
    await write(name, text);
    await expect(options()).rejects.toMatchObject({
      name: 'UsageError',
      message: expect.stringContaining(message),
    });
  });

  it('rejects two default files', async () => {
    await write('node-cli.config.json', {});
    await write('node-cli.config.mjs', 'export default {};');
    await expect(options()).rejects.toThrow(
      'found both node-cli.config.json and node-cli.config.mjs; remove one of them or pass --config',
    );
  });
});

describe('a node with a config file', () => {
  it('uses the options of the file and reports it, unless --no-config is set', async () => {
    await write('node-cli.config.json', { chainId: 77 });
    const node = await start([], { workingDirectory });
    expect(await node.call('eth_chainId')).toBe('0x4d');
    expect(node.host.written.output).toMatch(/^Project: +node-cli.config.json · no build outputs found; /m);
    const without = await start(['--no-config'], { workingDirectory });
    expect(await without.call('eth_chainId')).toBe('0x21');
    const variable = await start([], { workingDirectory, environment: { NODE_CLI_NO_CONFIG: '1' } });
    expect(await variable.call('eth_chainId')).toBe('0x21');
  });

  it('exits with code 2 for an invalid file, but prints help and version', async () => {
    await write('node-cli.config.json', { prot: 1 });
    const { host } = await start([], { workingDirectory });
    expect(host.exitCodes).toEqual([2]);
    expect(host.written.errors).toMatch(/^node-cli: unknown option prot in [^\n]+\n$/);
    for (const question of ['--help', '--version']) {
      const asked = await start([question], { workingDirectory });
      expect(asked.host.exitCodes).toEqual([0]);
    }
  });
});
