import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { PLAIN_STYLE, type Style, terminalStyle } from '../../src/log/log-writer.ts';
import { PlainLog } from '../../src/log/plain-log.ts';
import { blockWith, startEntryWith, transactionWith } from './support/entries.ts';

/** The block timestamp in the log. */
const AT = 'at 2023-11-14T22:13:20Z (1700000000)';

class TextSink {
  text = '';
  write(text: string): void {
    this.text += text;
  }
}

function logWith(
  style: Style,
  isVerbose = false,
): { log: PlainLog; text: () => string; errors: () => string } {
  const output = new TextSink();
  const errorOutput = new TextSink();
  const log = new PlainLog({ output, errorOutput, style, isVerbose });
  return { log, text: () => output.text, errors: () => errorOutput.text };
}

function request(method: string, error: { code: number; message: string } | null = null) {
  return { method, durationMs: 3, error };
}

/** The text on a screen that replaces lines on request, without colours. */
function onScreen(text: string): string[] {
  const lines: string[] = [];
  for (const line of text.split('\n')) {
    const parts = line.split('\u001b[1A\u001b[2K');
    if (parts.length > 1) lines.splice(-(parts.length - 1));
    lines.push(stripVTControlCharacters(parts.at(-1) ?? ''));
  }
  return lines;
}

describe('banner', () => {
  const FIVE = Array.from({ length: 5 }, (_, index) => ({
    address: `0x${`a${index}`.repeat(20)}`,
    privateKey: `0x${`0${index}`.repeat(32)}`,
  }));

  function banner(changes: Parameters<typeof startEntryWith>[0] = {}): string {
    const { log, text } = logWith(PLAIN_STYLE);
    log.banner(startEntryWith(changes));
    log.listening('http://127.0.0.1:8545');
    return text();
  }

  it('the banner lists accounts with keys, a warning and the facts, and ends with the URL', () => {
    expect(banner()).toMatchInlineSnapshot(`
      "node-cli 1.2.3

      2 accounts with 10,000 ether each, and their private keys
      (0) 0xA1A1A1A1A1A1A1A1A1A1A1A1A1A1A1A1A1A1A1A1 0x0101010101010101010101010101010101010101010101010101010101010101
      (1) 0xB2B2B2B2B2B2B2B2B2B2B2B2B2B2B2B2B2B2B2B2 0x0202020202020202020202020202020202020202020202020202020202020202
      Mnemonic: test test junk (m/44'/60'/0'/0/)
      Warning: these keys are public. Funds sent to these accounts on a live network will be stolen.

      Chain:      33 (network id 34) · rootstock rules · automine · gas limit 30,000,000 · minimum gas price 60000000 wei
      Compat:     Hardhat's errors for Hardhat, Rootstock's errors (service) for other clients (no viem, wagmi or foundry.toml in this project; for viem or Foundry, pass --compat anvil)
      WebSocket:  ws://127.0.0.1:8545
      Listening on http://127.0.0.1:8545
      "
    `);
  });

  it('the banner explains how to decode calls without a project', () => {
    expect(banner({ lacksProject: true })).toContain(
      '\nProject:    no build outputs found; to decode calls and errors, start the node in the project or pass --artifacts <dir>\n',
    );
  });

  it('the banner lists five accounts and the command for the others', () => {
    const accounts = [...FIVE, ...FIVE];
    const lines = banner({ accounts, hasDefaultWallet: true }).split('\n');
    expect(lines[2]).toBe('10 accounts with 10,000 ether each, and their private keys');
    expect(lines[7]).toBe(`(4) 0x${'a4'.repeat(20)} 0x${'04'.repeat(32)}`);
    expect(lines[8]).toBe('… 5 more: npx node-cli accounts');
    expect(banner({ accounts })).toContain(
      `\n… 5 more: npx node-cli accounts --mnemonic "test test junk" --derivation-path m/44'/60'/0'/0/\n`,
    );
    expect(banner({ accounts: [...accounts, ...FIVE], hasDefaultWallet: true })).toContain(
      '\n… 10 more: npx node-cli accounts --accounts 15\n',
    );
    expect(banner({ accounts, wallet: null })).toContain(
      '\n… 5 more: npx node-cli accounts --dev-accounts network\n',
    );
    expect(banner({ accounts, wallet: null, loadedFrom: 'chain.json' })).toContain(
      '\n… 5 more: the keys are in chain.json\n',
    );
  });

  it('the banner limits the funds of the accounts to the fork', () => {
    const fork = { url: 'https://node.example', number: 7, age: 12, isFollowing: false };
    expect(banner({ fork })).toContain(
      '\n2 accounts with 10,000 ether each (only on this fork), and their private keys\n',
    );
    expect(banner({ fork, balance: null })).toContain('\n2 accounts and their private keys\n');
  });

  it('the banner has at most 20 lines with all facts', () => {
    const text = banner({
      accounts: [...FIVE, ...FIVE],
      fork: { url: 'https://node.example', number: 7_000_000, age: 12, isFollowing: false },
      configFile: 'node-cli.config.json',
      artifactFolders: [{ path: 'artifacts', tool: 'Hardhat', isThere: true }],
      dataDirectory: 'chain',
      savedTo: 'chain.json',
      continuedAfter: 7,
      hasLanes: true,
      needsApiKey: true,
      isExposed: true,
      servesExplorer: true,
      preset: 'mainnet',
      networkLimits: true,
    });
    expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(20);
    expect(text).toMatchInlineSnapshot(`
      "node-cli 1.2.3

      10 accounts with 10,000 ether each (only on this fork), and their private keys
      (0) 0xa0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0 0x0000000000000000000000000000000000000000000000000000000000000000
      (1) 0xa1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1 0x0101010101010101010101010101010101010101010101010101010101010101
      (2) 0xa2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2 0x0202020202020202020202020202020202020202020202020202020202020202
      (3) 0xa3a3a3a3a3a3a3a3a3a3a3a3a3a3a3a3a3a3a3a3 0x0303030303030303030303030303030303030303030303030303030303030303
      (4) 0xa4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4 0x0404040404040404040404040404040404040404040404040404040404040404
      … 5 more: npx node-cli accounts --mnemonic "test test junk" --derivation-path m/44'/60'/0'/0/
      Warning: these keys are public. Funds sent to these accounts on a live network will be stolen.

      Chain:      33 (network id 34) · rootstock rules · preset mainnet · Rootstock's limits · automine · gas limit 30,000,000 · minimum gas price 60000000 wei
      Compat:     Hardhat's errors for Hardhat, Rootstock's errors (service) for other clients (no viem, wagmi or foundry.toml in this project; for viem or Foundry, pass --compat anvil)
      Fork:       https://node.example at block 7,000,000 (12 s old)
      Project:    node-cli.config.json · Hardhat artifacts: artifacts
      State:      data directory chain · saved to chain.json · continues from block 7
      API key:    http://127.0.0.1:8545/<API_KEY>; each API key has its own chain
      Warning: every client with an API key can use the unlocked accounts.
      Explorer:   http://127.0.0.1:8545 · WebSocket: ws://127.0.0.1:8545
      Listening on http://127.0.0.1:8545
      "
    `);
  });

  it.each([
    [12, '12 s'],
    [119, '1 min'],
    [7_200, '2 h'],
    [200_000, '2 days'],
  ])('the banner contains the age of the fork block: %i s as %s', (age, text) => {
    const fork = { url: 'https://node.example', number: 7_000_000, age, isFollowing: false };
    expect(banner({ fork })).toContain(
      `\nFork:       https://node.example at block 7,000,000 (${text} old)\n`,
    );
  });

  it('the banner shows that the fork follows its chain', () => {
    const fork = { url: 'https://node.example', number: 7, age: 1, isFollowing: true };
    expect(banner({ fork })).toContain('at block 7 (1 s old) · follows new blocks (--fork-follow)\n');
  });

  it('the banner warns that private keys are printed if they are not public', () => {
    const text = banner({ areKeysPublic: false });
    expect(text).toContain('\nWarning: these keys are printed in plain text. ');
    expect(text).not.toContain('these keys are public');
  });

  it('the banner links to the explorer, and each failed transaction to its page', () => {
    const { log, text } = logWith(PLAIN_STYLE);
    log.banner(startEntryWith({ servesExplorer: true }));
    expect(text()).toContain('\nExplorer:   http://127.0.0.1:8545 · WebSocket: ws://127.0.0.1:8545\n');
    const failed = transactionWith({ failure: 'transaction reverted' });
    log.block(blockWith(1, [failed]), true);
    expect(text()).toContain(`\n  See http://127.0.0.1:8545/_/tx/${failed.hash}\n`);
  });

  it('failed calls and transactions end with a link to their page', () => {
    const { log, text } = logWith(PLAIN_STYLE);
    log.banner(startEntryWith({ servesExplorer: true }));
    const error = { code: -32015, message: 'reverted' };
    log.request({ ...request('eth_call', error), failureNumber: 7, tree: ['Vault.open()'] });
    log.request({ ...request('eth_call', error), failureNumber: 8, lane: 'my lane', lanePath: 'my%20lane' });
    log.request({ ...request('eth_call', error), failureNumber: 9, lane: 'API key 1' });
    const failed = transactionWith({ failure: 'transaction reverted', tree: ['Vault.open()'] });
    log.block({ ...blockWith(1, [failed]), lane: 'my lane', lanePath: 'my%20lane' }, true);
    expect(text()).toContain('\n\n  Vault.open()\n  See http://127.0.0.1:8545/_/failure/7\n\n');
    expect(text()).toContain('\n  See http://127.0.0.1:8545/my%20lane/_/failure/8\n\n');
    expect(text()).toContain(`  Vault.open()\n  See http://127.0.0.1:8545/my%20lane/_/tx/${failed.hash}\n\n`);
    expect(text()).not.toContain('failure/9');
  });

  it('failed calls and transactions have the same format, with the reason once', () => {
    const { log, text } = logWith(PLAIN_STYLE);
    log.banner(startEntryWith({ servesExplorer: true }));
    const failure = "reverted with reason string 'no'";
    const explained = {
      failure,
      stack: '    at Vault.open (Vault.sol:1:2)',
      tree: [
        `Vault.open() ✗ 30 gas`,
        `  Door.push() ✗ ${failure} twice 10 gas`,
        `  Door.open() ✗ ${failure} 10 gas`,
      ],
    };
    const expected = [
      `: ${failure}`,
      '      at Vault.open (Vault.sol:1:2)',
      '',
      '  Vault.open() ✗ 30 gas',
      `    Door.push() ✗ ${failure} twice 10 gas`,
      '    Door.open() ✗ 10 gas',
    ].join('\n');
    const error = { code: -32015, message: 'reverted' };
    const start = text().length;
    log.request({ ...request('eth_call', error), ...explained, failureNumber: 7, warnings: ['unused'] });
    const failed = transactionWith(explained);
    const middle = text().length;
    log.block(blockWith(1, [failed]), true);
    expect(text().slice(start, middle)).toBe(
      `eth_call\n  Error -32015${expected}\n  Warning: unused\n  See http://127.0.0.1:8545/_/failure/7\n\n`,
    );
    expect(text().slice(middle)).toContain(
      `\n\n  Error${expected}\n  See http://127.0.0.1:8545/_/tx/${failed.hash}\n\n`,
    );
  });

  it('links are omitted with API keys, because they would contain a key', () => {
    const { log, text } = logWith(PLAIN_STYLE);
    log.banner(startEntryWith({ servesExplorer: true, needsApiKey: true }));
    const error = { code: -32015, message: 'reverted' };
    log.request({ ...request('eth_call', error), failureNumber: 7 });
    log.block(blockWith(1, [transactionWith({ failure: 'transaction reverted' })]), true);
    expect(text()).not.toContain('  See ');
  });

  it('the banner warns if other machines can use the unlocked accounts', () => {
    expect(banner({ isExposed: true })).toContain(
      '\nWarning: every client that can reach this port can use the unlocked accounts.\n',
    );
    expect(banner({ isExposed: true, needsApiKey: true })).toContain(
      '\nWarning: every client with an API key can use the unlocked accounts.\n',
    );
  });

  it('the banner contains a placeholder for the API key', () => {
    expect(banner({ needsApiKey: true })).toContain(
      '\nAPI key:    http://127.0.0.1:8545/<API_KEY>; the API key is the URL path\n',
    );
  });

  it('the banner contains the preset and its limits', () => {
    expect(banner({ preset: 'mainnet', chainId: 30, networkLimits: true })).toContain(
      "\nChain:      30 (network id 34) · rootstock rules · preset mainnet · Rootstock's limits · automine · gas limit 30,000,000 · ",
    );
  });

  it('the banner recommends --legacy in a Foundry project without a base fee', () => {
    const foundry = { compatOfOthers: 'anvil', compatEvidence: 'foundry.toml' } as const;
    expect(banner(foundry)).toContain(
      "Anvil's errors for other clients (foundry.toml; pass --legacy to forge and cast)\n",
    );
    expect(banner({ ...foundry, ruleSet: 'prague' })).toContain(
      "Anvil's errors for other clients (foundry.toml)\n",
    );
  });

  it('the banner omits absent facts', () => {
    const text = banner({ accounts: [], wallet: null, minimumGasPrice: 0n });
    expect(text).not.toMatch(/accounts|Warning|Mnemonic|Fork|Project|State|Lanes|Explorer/);
    expect(text).toContain('minimum gas price 0\n');
  });
});

describe('requests in the log', () => {
  it('requests are logged on one line each without a terminal', () => {
    const { log, text } = logWith(PLAIN_STYLE);
    log.request(request('eth_blockNumber'));
    log.request(request('eth_blockNumber'));
    log.request(request('eth_chainId'));
    expect(text()).toBe('eth_blockNumber\neth_blockNumber\neth_chainId\n');
  });

  it('repeated requests are counted on one line on a terminal', async () => {
    const { log, text } = logWith(await terminalStyle());
    for (let count = 0; count < 7; count++) log.request(request('eth_blockNumber'));
    log.request(request('eth_chainId'));
    log.request(request('eth_blockNumber'));
    expect(onScreen(text())).toEqual(['eth_blockNumber (7)', 'eth_chainId', 'eth_blockNumber', '']);
  });

  it('the lines of an error message are joined', () => {
    const { log, text } = logWith(PLAIN_STYLE);
    log.request(request('parent:getblockhash', { code: -3, message: 'Wrong type passed:\n{\n    "x"\n}' }));
    expect(text()).toBe('parent:getblockhash\n  Error -3: Wrong type passed: { "x" }\n');
  });

  it('failed requests are logged with the error and are not counted', async () => {
    const { log, text } = logWith(await terminalStyle());
    const error = { code: -32015, message: 'revert not yours\u001b[2J' };
    log.request(request('eth_call', error));
    log.request(request('eth_call', error));
    log.request(request('eth_call'));
    expect(onScreen(text())).toEqual([
      'eth_call',
      '  Error -32015: revert not yours\\u001b[2J',
      'eth_call',
      '  Error -32015: revert not yours\\u001b[2J',
      'eth_call',
      '',
    ]);
  });

  it('requests are not counted across other log lines', async () => {
    const { log, text } = logWith(await terminalStyle());
    log.request(request('eth_sendTransaction'));
    log.block(blockWith(1, [transactionWith()]), true);
    log.request(request('eth_sendTransaction'));
    expect(text().split('\u001b[1A').length).toBe(1);
  });

  it('verbose requests are logged one by one with their duration', async () => {
    const { log, text } = logWith(await terminalStyle(), true);
    log.request(request('eth_blockNumber'));
    log.request(request('eth_blockNumber'));
    expect(onScreen(text())).toEqual(['eth_blockNumber 3 ms', 'eth_blockNumber 3 ms', '']);
  });

  it('control characters in method names are escaped, and long names truncated', () => {
    const { log, text } = logWith(PLAIN_STYLE);
    log.request(request(`\u001b[2J${'x'.repeat(1_000)}`));
    expect(text()).toBe(`\\u001b[2J${'x'.repeat(76)}\n`);
  });
});

describe('transactions in the log', () => {
  it('a call is logged in two aligned columns', () => {
    const { log, text } = logWith(PLAIN_STYLE);
    log.block(blockWith(2, [transactionWith({ value: 10n ** 18n })]), true);
    expect(text()).toMatchInlineSnapshot(`
      "  Contract call:  selector 0xa9059cbb
        Transaction:    0xabababababababababababababababababababababababababababababababab
        From:           0x0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a
        To:             0x0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b
        Value:          1 ether
        Gas used:       49758 of 200000
        Block #2:       0xcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd
        Block time:     2023-11-14T22:13:20Z (1700000000)

      "
    `);
  });

  it('a deployment is logged with the contract address', () => {
    const { log, text } = logWith(PLAIN_STYLE);
    const contractAddress = `0x${'cc'.repeat(20)}`;
    log.block(
      blockWith(1, [transactionWith({ kind: 'deployment', to: null, contractAddress, selector: null })]),
      true,
    );
    expect(text()).toContain(`  Contract deployment:  ${contractAddress}\n`);
    expect(text()).not.toContain('To:');
  });

  it('a failed deployment is logged without an address', () => {
    const { log, text } = logWith(PLAIN_STYLE);
    const deployment = { kind: 'deployment', to: null, selector: null, failure: 'reverted' } as const;
    const contractAddress = `0x${'cc'.repeat(20)}`;
    log.block(blockWith(1, [transactionWith({ ...deployment, contractAddress })]), true);
    expect(text()).toContain('  Contract deployment:  failed\n');
    log.block(
      blockWith(2, [transactionWith({ ...deployment, contractAddress, subject: 'new Token()' })]),
      true,
    );
    expect(text()).toContain('  Contract deployment:  new Token() failed\n');
    expect(text()).not.toContain(contractAddress);
  });

  it('a failed transaction is logged with its reason', () => {
    const { log, text } = logWith(PLAIN_STYLE);
    log.block(blockWith(1, [transactionWith({ failure: "reverted with reason 'not\nyours'" })]), true);
    expect(text()).toContain("\n\n  Error: reverted with reason 'not\\u000ayours'\n");
  });

  it('the words of a custom error are logged one per line, at most 16', () => {
    const words = Array.from({ length: 20 }, (_, index) => `0x${index.toString(16).padStart(64, '0')}`);
    const { log, text } = logWith(PLAIN_STYLE);
    const failure = 'reverted with custom error 0x12345678';
    log.block(
      blockWith(1, [transactionWith({ failure, errorArguments: words.slice(0, 2), errorArgumentCount: 2 })]),
      true,
    );
    expect(text()).toContain(`\n\n  Error: ${failure}\n    ${words[0]}\n    ${words[1]}\n\n`);
    log.block(
      blockWith(1, [transactionWith({ failure, errorArguments: words, errorArgumentCount: 3000 })]),
      true,
    );
    expect(text()).toContain(`\n    ${words[15]}\n    … and 2984 more words\n\n`);
    expect(text()).not.toContain(words[16]);
  });

  it('the block time is logged as a date, or as a number outside the range of dates', () => {
    const { log, text } = logWith(PLAIN_STYLE);
    log.block({ ...blockWith(1, [transactionWith()]), timestamp: 4_102_444_799 }, true);
    expect(text()).toContain('\n  Block time:     2099-12-31T23:59:59Z (4102444799)\n');
    log.block({ ...blockWith(2, [transactionWith()]), timestamp: 2 ** 53 - 1 }, true);
    expect(text()).toContain('\n  Block time:     9007199254740991\n');
  });

  it('a call with data to an account without code is logged with a warning', () => {
    const { log, text } = logWith(PLAIN_STYLE);
    log.block(blockWith(1, [transactionWith({ calledWithoutCode: true })]), true);
    expect(text()).toContain('Warning: the recipient of this call has no code; check the address');
  });

  it('a transaction has a heading if it is not below its request', () => {
    const { log, text } = logWith(PLAIN_STYLE);
    log.request(request('eth_chainId'));
    log.block(blockWith(9, [transactionWith()]), false);
    expect(text()).toMatch(/^eth_chainId\nMined block #9\n {2}Contract call: /);
  });

  it('several transactions of a block have a heading', () => {
    const { log, text } = logWith(PLAIN_STYLE);
    log.block(blockWith(9, [transactionWith(), transactionWith({ kind: 'transfer', selector: null })]), true);
    expect(text()).toMatch(/^Mined block #9 with 2 transactions\n/);
    expect(text().match(/Block #9:/g)).toHaveLength(2);
  });
});

describe('empty blocks in the log', () => {
  it('consecutive empty blocks are logged on one updated line on a terminal', async () => {
    const { log, text } = logWith(await terminalStyle());
    for (let number = 3; number <= 40; number++) log.block(blockWith(number), false);
    log.request(request('eth_chainId'));
    log.block(blockWith(41), false);
    expect(onScreen(text())).toEqual([
      `Mined empty blocks #3 to #40, the last ${AT}`,
      'eth_chainId',
      `Mined empty block #41 ${AT}`,
      '',
    ]);
  });

  it('consecutive empty blocks are logged as the first and the rest without a terminal', () => {
    const { log, text } = logWith(PLAIN_STYLE);
    for (let number = 3; number <= 40; number++) log.block(blockWith(number), false);
    expect(text()).toBe(`Mined empty block #3 ${AT}\n`);
    log.request(request('eth_chainId'));
    expect(text()).toBe(
      `Mined empty block #3 ${AT}\nMined empty blocks #4 to #40, the last ${AT}\neth_chainId\n`,
    );
  });

  it('the last empty blocks are logged when the log ends', () => {
    const { log, text } = logWith(PLAIN_STYLE);
    for (let number = 3; number <= 5; number++) log.block(blockWith(number), false);
    log.flush();
    log.flush();
    expect(text()).toBe(`Mined empty block #3 ${AT}\nMined empty blocks #4 to #5, the last ${AT}\n`);
  });

  it('a gap in block numbers starts a new line', () => {
    const { log, text } = logWith(PLAIN_STYLE);
    for (const number of [3, 4, 3]) log.block(blockWith(number), false);
    expect(text()).toBe(
      `Mined empty block #3 ${AT}\nMined empty block #4 ${AT}\nMined empty block #3 ${AT}\n`,
    );
  });

  it('verbose empty blocks are logged one by one with their hash', () => {
    const { log, text } = logWith(PLAIN_STYLE, true);
    log.block(blockWith(3), false);
    log.block(blockWith(4), false);
    expect(text().match(/^Mined empty block #\d at .*, 0x(cd){32}$/gm)).toHaveLength(2);
  });
});

describe('other events in the log', () => {
  it('removed blocks are logged', () => {
    const { log, text } = logWith(PLAIN_STYLE);
    log.removed({ first: 3, last: 5 });
    log.removed({ first: 3, last: 3 });
    expect(text()).toBe('Removed blocks #3 to #5\nRemoved block #3\n');
  });

  it('internal errors are written to stderr', () => {
    const { log, text, errors } = logWith(PLAIN_STYLE);
    log.internalError(new Error('lost'));
    expect(errors()).toContain('node-cli: internal error: Error: lost');
    expect(text()).toBe('');
  });
});
