import { describe, expect, it } from 'vitest';
import { EXIT_CODES } from '../../src/cli/command.ts';
import { flagsOf, helpAbout, helpText, optionTopic, topicText } from '../../src/cli/help.ts';
import { settleCommandLine, splitCommandLine } from '../../src/cli/read-options.ts';
import {
  ALL_OPTIONS,
  COMMAND_ENTRIES,
  COMMAND_GROUPS,
  type CommandGroup,
  type HelpTopic,
  ownDescription,
  TOPIC_NAMES,
  takesOption,
} from '../../src/config/commands.ts';
import { UsageError } from '../../src/config/errors.ts';
import { flagOf, OPTION_ENTRIES } from '../../src/config/options.ts';

const GROUPS = Object.keys(COMMAND_GROUPS) as CommandGroup[];
const OPTION_TOPICS = OPTION_ENTRIES.map(([key]) => flagOf(key) as `--${string}`);
const SUBJECTS: readonly HelpTopic[] = [
  ALL_OPTIONS,
  ...COMMAND_ENTRIES.map(([name]) => name),
  ...GROUPS,
  ...TOPIC_NAMES,
  ...OPTION_TOPICS,
];

/** Returns the words of a command line without quotes, like a shell. */
function shellWords(line: string): string[] {
  return Array.from(line.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g), ([, single, double, plain]) =>
    String(single ?? double ?? plain),
  );
}

describe('the limits of help', () => {
  it('keeps every line of every subject within 100 columns', async () => {
    for (const subject of SUBJECTS) {
      const long = (await helpAbout(subject)).split('\n').filter((line) => line.length > 100);
      expect(long, `help ${subject}`).toEqual([]);
    }
  });

  it('prints at most 60 lines without a subject', () => {
    expect(helpText().trimEnd().split('\n').length).toBeLessThanOrEqual(60);
  });

  it('keeps every description of an option or a command within 70 characters', () => {
    const own = COMMAND_ENTRIES.flatMap(([name, { description }]) => [
      description,
      ...OPTION_ENTRIES.map(([key]) => ownDescription(name, key) ?? ''),
    ]);
    const descriptions = [...OPTION_ENTRIES.map(([, { description }]) => description), ...own];
    const effects = descriptions.map((description) => description.replace(/ \(default: .*\)$/, ''));
    expect(effects.filter((effect) => effect.length > 70)).toEqual([]);
  });

  it('marks between 20 and 30 options of the node as common', () => {
    const common = OPTION_ENTRIES.filter(([, { common }]) => common !== undefined);
    expect(common.length).toBeGreaterThanOrEqual(20);
    expect(common.length).toBeLessThanOrEqual(30);
    for (const [key] of common) expect(takesOption('start', key)).toBe(true);
  });
});

describe('the examples of help', () => {
  it.each(COMMAND_ENTRIES)('the help examples for %s are valid command lines', (name, { examples }) => {
    expect(examples.length).toBeGreaterThan(0);
    for (const [line, effect] of examples) {
      expect(helpText(name)).toContain(`  node-cli ${line}`.trimEnd());
      expect(helpText(name)).toContain(effect.split(' ', 2).join(' '));
      const commandLine = splitCommandLine(shellWords(line), {});
      expect(settleCommandLine(commandLine).command).toBe(name);
    }
  });

  it.each(GROUPS)('lists the examples of all %s commands', (group) => {
    const examples = COMMAND_ENTRIES.filter(([name]) => name.startsWith(`${group} `)).flatMap(
      ([, definition]) => definition.examples,
    );
    expect(examples.length).toBeGreaterThan(0);
    for (const [line] of examples) expect(helpText(group)).toContain(`  node-cli ${line}`);
  });

  it.each(TOPIC_NAMES)('the help has text for the topic %s', async (topic) => {
    expect((await topicText(topic)).split('\n').length).toBeGreaterThan(5);
  });
});

describe('helpText', () => {
  it('prints the commands, the common options and the ways to more help', () => {
    expect(helpText()).toMatchInlineSnapshot(`
      "Usage: node-cli [start] [options]

      A local development node for Rootstock and Ethereum contracts (chain id 33), with an explorer.

      Commands:
        start       Start the node (default)
        accounts    Print the accounts and private keys of a node with these options
        state       Inspect and compare dumps of chains
        cache       List, delete, export and import the fork cache
        coverage    Merge coverage files
        completion  Print a completion script for a shell
        methods     List the JSON-RPC methods, or explain one of them
        exec        Run a command with its own node; NODE_CLI_URL contains the URL
        mcp         Serve AI agents over the Model Context Protocol (stdin and stdout)
        debug       Debug transactions in an editor (Debug Adapter Protocol)
        wait        Wait until a node replies, at most --within seconds
        status      Show a running node's chain id and latest block
        trace       Show the calls, events and changes of a transaction or of a call
        compare     Run transactions under other hardforks and show the differences

      Server:
        -p, --port <number>           Port to listen on; 0 = any free port (default: 8545)
        --host <host>                 Address to listen on; 0.0.0.0 = all interfaces (default: 127.0.0.1)
        --lanes                       Give every URL path except / its own chain, a copy of the chain on /
      Accounts:
        -a, --accounts <number>       Number of accounts to derive from the mnemonic (default: 10)
        --balance <ether>             Genesis balance of each account, in ether (default: 10000)
        -m, --mnemonic <words>        BIP-39 mnemonic of the accounts (default: test test test test test
                                      test test test test test test junk)
        --auto-impersonate            Send transactions from any address without its key
      Chain and mining:
        --chain-id <number>           Chain id that transactions are signed for (default: 33)
        --hardfork <name>             Rules of Rootstock, Ethereum or a preview (default: rootstock)
        --gas-limit <gas>             Block gas limit; 60000000 with osaka or later (default: 30000000)
        -b, --block-time <seconds>    Mine a block every N seconds (default: one block per transaction)
        --no-mining                   Mine only on request (evm_mine)
      Forking and persistence:
        --data-dir <dir>              Persist the chain in this directory and continue from it
        -f, --fork-url <url[@block]>  URL to fork, or <url>@<block>; repeat the option for fallback URLs
        --state <file>                Load the chain from this file if it exists, and save it there
      Output and errors:
        --compat <name>               Error style: auto, service, anvil, hardhat (default: auto)
        --artifacts <dir>             Decode calls and errors with the build outputs in this folder or
                                      file (default: found in the project)
        -q, --quiet                   Print only the line with the URL of the node
        -v, --verbose                 Print every request and block, and the call tree of transactions
        --json                        Print one JSON object per line
        --coverage <file>             Write source coverage to this lcov file (%p = process id)
        --gas-report [file]           Print gas per function on exit, or write it to a file

      Examples:
        node-cli                                  start with ten funded accounts on http://127.0.0.1:8545
        node-cli --state chain.json.gz            load the chain from a file, and save it on exit
        node-cli --fork-url https://node.example  fork another chain
        node-cli help --all                       list all options
        node-cli help <command>                   print the options and examples of a command
        node-cli help --port                      explain an option
        node-cli help <topic>                     explain server, chain, hardforks, forks, state-files,
                                                  mining, parent-chain, compat, lanes, tests, errors,
                                                  output, gas, config, agents
      "
    `);
  });

  it('lists every option with its flags in the help of a command or in --all', async () => {
    const all = await helpAbout(ALL_OPTIONS);
    for (const [key, definition] of OPTION_ENTRIES) {
      const command = (['start', 'trace', 'compare', 'wait', 'cache pack', 'debug'] as const).find((name) =>
        takesOption(name, key),
      );
      const listed = command === 'start' ? all : helpText(command ?? 'start');
      expect(listed).toContain(`  ${flagsOf(key, definition)}`);
    }
  });

  it('lists every command in --all', async () => {
    const all = (await helpAbout(ALL_OPTIONS)).replaceAll(/\s+/g, ' ');
    for (const [name, { operands, description }] of COMMAND_ENTRIES)
      expect(all).toContain(` ${[name, ...operands, description].join(' ')} `);
  });

  it.each(['wait', 'status', 'compare'] as const)('lists --url of %s under its own heading', (command) => {
    expect(helpText(command)).toMatch(/\nRunning node:\n {2}--url <url>/);
  });

  it('prints the description of an option for the command', () => {
    const [, options = ''] = helpText('coverage merge').split('Gas and coverage:\n');
    expect(options).toMatch(
      /^ {2}--coverage <file> +Write the merged coverage to this file and print a table/,
    );
    expect(options).not.toContain('Write source coverage');
    expect(helpText('start')).toContain('Write source coverage');
    expect(helpText('trace')).toMatch(/--verbose +Print the addresses and the bytes of each call/);
  });

  it('prints only the options with another meaning for exec', () => {
    const text = helpText('exec');
    expect(text).toMatch(/--port <number> +Port to listen on \(default: a free port\)/);
    expect(text).toContain('exec also accepts all options of start (node-cli help --all lists them).');
    expect(text).not.toContain('--hardfork <name>');
  });

  it('lists the commands with a common first word', () => {
    expect(helpText('state')).toMatchInlineSnapshot(`
      "Usage: node-cli state <inspect|diff> [options]

      Inspect and compare dumps of chains.

      Commands:
        state inspect <file>      Print the contents of a dump or of a state file of Anvil
        state diff <file> <file>  Compare the newest states of two files; exit with 1 if they differ

      Examples:
        node-cli state inspect chain.json.gz        print head, accounts and settings of a dump
        node-cli state diff before.json after.json  print every changed balance, nonce, code and slot

      node-cli state inspect --help lists its options.
      "
    `);
    expect(helpText('cache')).toMatchInlineSnapshot(`
      "Usage: node-cli cache <ls|clean|pack|unpack> [options]

      List, delete, export and import the fork cache.

      Commands:
        cache ls                List the files of the fork cache
        cache clean             Delete the files of the fork cache
        cache pack <file.gz>    Export the fork cache to a file
        cache unpack <file.gz>  Import a file that cache pack exported

      Examples:
        node-cli cache ls               list the cached blocks, with the size of each file
        node-cli cache clean            delete all cached data of fork URLs
        node-cli cache pack cache.gz    export the whole fork cache
        node-cli cache pack cache.gz --fork-url https://node.example
                                        export the data of one fork URL
        node-cli cache unpack cache.gz  import all data for the URLs in the file
        node-cli cache unpack cache.gz --fork-url http://127.0.0.1:8546
                                        import all data for another fork URL

      node-cli cache ls --help lists its options.
      "
    `);
  });
});

describe('topicText', () => {
  it('lists the options of measurements and the exit codes', async () => {
    const text = await topicText('gas');
    for (const flag of [
      'gas-report',
      'gas-baseline',
      'gas-tolerance',
      'profile',
      'coverage',
      'coverage-exclude',
    ])
      expect(text).toMatch(new RegExp(`\\n {2}--${flag} [<[]`));
    const { usage, notExecutable, notFound, ...codes } = EXIT_CODES;
    for (const code of Object.values(codes)) expect(text).toMatch(new RegExp(`\\n- ${code}: `));
  });

  it('lists every exit code beside the error codes', async () => {
    const text = await topicText('errors');
    const [, exits = ''] = text.split('Exit codes:');
    for (const code of Object.values(EXIT_CODES)) expect(exits).toMatch(new RegExp(`\\n- ${code}: `));
    expect(text).toMatch(/\n- -32602: /);
  });

  it.each(TOPIC_NAMES)('lists for the topic %s only options of start', async (topic) => {
    const [, options = ''] = (await topicText(topic)).split('\nOptions:\n');
    const flags = Array.from(options.matchAll(/^ {2}(?:-\w, )?(--[\w-]+)/gm), ([, flag]) => flag);
    const own = OPTION_ENTRIES.filter(([key]) => takesOption('start', key)).map(([key]) => flagOf(key));
    expect(own).toEqual(expect.arrayContaining(flags));
  });

  it('prints on the topic forks that the funds of the dev accounts are local', async () => {
    expect(await topicText('forks')).toContain('These funds exist only in this node.');
  });

  it('wraps list items with an indent', async () => {
    expect(await topicText('lanes')).toMatch(/\n- If a lane receives no requests [^\n]*\n {2}\S/);
  });
});

describe('help about an option', () => {
  it('prints the effect, the values and all ways to set it', async () => {
    expect(await helpAbout('--block-time')).toMatchInlineSnapshot(`
      "-b, --block-time <seconds>

      Mine a block every N seconds.

        Value        a number of seconds from 0.001 to 86400
        Default      one block per transaction
        Other names  --blockTime
        Environment  NODE_CLI_BLOCK_TIME=2.5
        File         { "blockTime": 2.5 }
        Topic        node-cli help mining
      "
    `);
    expect(await helpAbout('--lanes')).toMatchInlineSnapshot(`
      "--lanes

      Give every URL path except / its own chain, a copy of the chain on /.

        Default      off
        Environment  NODE_CLI_LANES=true
        File         { "lanes": true }
        Topic        node-cli help server
      "
    `);
  });

  it.each([
    ['--lanes', '--lanes'],
    ['lanes', '--lanes'],
    ['-p', '--port'],
    ['port', '--port'],
    ['blockTime', '--block-time'],
    ['--rpc-url', '--fork-url'],
    ['--lanes=true', '--lanes'],
    ['--all', '--all'],
  ])('finds %s as %s', (word, topic) => {
    expect(optionTopic(word)).toBe(topic);
  });

  it('returns undefined for a word that is no option', () => {
    expect(optionTopic('nonsense')).toBeUndefined();
    expect(optionTopic('--nonsense')).toBeUndefined();
  });
});

describe('subject of a help command', () => {
  it.each([
    [['help', '--lanes'], '--lanes'],
    [['help', 'lanes'], 'lanes'],
    [['help', '--port'], '--port'],
    [['help', 'port'], '--port'],
    [['help', '-p'], '--port'],
    [['help', '--chainId'], '--chain-id'],
    [['help', 'compat'], 'compat'],
    [['help', '--compat'], '--compat'],
    [['help', '--all'], '--all'],
    [['--help', '--all'], '--all'],
    [['-h', '--all'], '--all'],
    [['help', 'cache', 'ls'], 'cache ls'],
    [['help', '--help'], 'help'],
    [['help'], 'start'],
    [['--help'], 'start'],
  ])('the subject of %j is %s', (words, topic) => {
    expect(splitCommandLine(words, {}).topic).toBe(topic);
  });

  it.each([
    [
      ['help', '--threads'],
      '--threads is an Anvil option, but node-cli is single-threaded; remove the option',
    ],
    [['help', '--prot'], 'unknown option --prot; did you mean --port <number>?'],
    [
      ['help', 'dialects'],
      'unknown command or topic "dialects"; npx node-cli help lists all commands and topics',
    ],
    [['help', '--all', 'port'], 'help: unexpected argument "port"; remove it'],
  ])('rejects %j', (words, message) => {
    expect(() => splitCommandLine(words, {})).toThrow(new UsageError(message));
  });
});
