import { describe, expect, it } from 'vitest';
import { EXIT_CODES } from '../../src/cli/command.ts';
import { flagsOf, helpText, topicText } from '../../src/cli/program.ts';
import { takesOption } from '../../src/config/commands.ts';
import { OPTION_ENTRIES } from '../../src/config/options.ts';

describe('the help of commands that read a running node', () => {
  it.each(['wait', 'status', 'compare'] as const)('lists --url of %s under its own heading', (command) => {
    const help = helpText(command);
    expect(help).toMatch(/\nRunning node:\n {2}--url <url>/);
  });

  it('describes the effect of --verbose on trace', () => {
    expect(helpText('trace')).toMatch(/--verbose +Print the addresses and the bytes of each call/);
  });
});

describe('helpText', () => {
  it('lists every option with its flags and its description', () => {
    const text = helpText();
    for (const [key, definition] of OPTION_ENTRIES) {
      const command = (['start', 'trace', 'compare', 'wait', 'cache pack'] as const).find((name) =>
        takesOption(name, key),
      );
      const listed = command === 'start' ? text : helpText(command ?? 'start');
      expect(listed).toContain(`  ${flagsOf(key, definition)}  `);
    }
  });

  it('stays within the width of a wide terminal', () => {
    for (const line of helpText().split('\n')) expect(line.length).toBeLessThanOrEqual(110);
  });

  it('reads as it should', () => {
    expect(helpText()).toMatchInlineSnapshot(`
      "Usage: node-cli [start] [options]

      A local chain for development: network and chain id 33, instant mining, JSON-RPC over HTTP and WebSocket.

      Server:
        -p, --port <number>                  Port to listen on; 0 picks a free one (default: 8545)
        --host <host>                        Address to listen on; 0.0.0.0 lets other machines in; also --hostname
                                             (default: 127.0.0.1)
        --allow-origin <origin>              Web page origin that may call the node, instead of those on this
                                             machine (default: any origin on this machine; repeatable)
        --allow-host <host>                  Host name under which the node may be called, such as that of a
                                             container; *.name for all below (default: local names only; repeatable)
        --api-key <key>                      Key that callers must have as the last segment of the path (default:
                                             any path is served; repeatable)
        --lanes                              Serve a chain of its own on every path, forked from the one on / when
                                             it is called first
        --lane-timeout <seconds>             Time after which a lane that nobody calls is gone; 0 for never
                                             (default: 3600)
        --drain-timeout <seconds>            Time that lanes have to finish after SIGTERM or Ctrl-C, while no new
                                             ones are made; 0 to end at once (default: 0)
        --lane-limit <lanes>                 Most lanes at a time (default: 1000)
        --no-explorer                        Do not show the page of the chain to browsers that open the URL of the
                                             node
        --metrics                            Serve what the node counts about itself at /metrics, for Prometheus
        --end-with-stdin                     End when standard input does, as when the program that started the node
                                             is gone
        --body-limit <bytes>                 Largest request body and WebSocket message (default: 10485760)
        --batch-limit <requests>             Most requests in one batch (default: 1000)
        --filter-timeout <seconds>           Seconds after which a filter that nobody asks is gone (default: 300)
        --call-timeout <seconds>             Seconds after which a call, estimate, trace or whole batch of them ends
                                             with an error; 0 for any time (default: 60)
        --log-block-limit <blocks>           Blocks that a search of logs may cover however many it finds; 0 for any
                                             number (default: 2000)
        --log-limit <logs>                   Logs that a search over more blocks may find; 0 for any number, else a
                                             search over fewer may find 64 MiB of JSON (default: 10000)

      Accounts:
        -a, --accounts <number>              How many accounts to derive from the mnemonic (default: 10)
        --balance <ether>                    Balance of each account in the first block (default: 10000)
        -m, --mnemonic <words>               BIP-39 words that the accounts are derived from (default: test test
                                             test test test test test test test test test junk)
        --deterministic                      Use the accounts of ganache --deterministic
        --mnemonic-random [words]            Derive the accounts from so many random words, 12 where no number
                                             follows (default: the words of --mnemonic)
        --mnemonic-seed-unsafe <number>      Derive the accounts from 12 words that follow from this number: anybody
                                             can find their keys (default: the words of --mnemonic)
        --derivation-path <path>             Path under which the accounts are derived (default: m/44'/60'/0'/0/)
        --dev-accounts <mnemonic|network>    Accounts to list: those of the mnemonic, or the local network's own ten
                                             (default: mnemonic)
        --fund-accounts <address[:ether]>    Addresses that have funds in the first block too: so much ether, or as
                                             much as --balance says (default: none; repeatable)
        --auto-impersonate                   Send transactions in the name of any account without its key; also
                                             --auto-unlock

      Chain:
        --chain <name>                       Network to take chain id, gas limit and least gas price from, where
                                             these are not given: mainnet, testnet, devnet, local (default: chain 33
                                             with the node's own limits)
        --chain-id <number>                  Chain id, which transactions are signed for (default: 33)
        --network-id <number>                Network id, which net_version answers (default: the chain id)
        --hardfork <name>                    Rules of the chain, the network's own or those of an Ethereum hardfork
                                             (latest: the newest final one; a preview: amsterdam): rootstock,
                                             istanbul, berlin, london, paris, shanghai, cancun, prague, osaka, bpo1,
                                             bpo2, amsterdam, latest (default: rootstock)
        --engine <wasm|reference>            The engine of contracts: the node's own interpreter, or ethereumjs
                                             (default: wasm)
        --shadow                             Run everything on the other engine too and stop, with a dump, when they
                                             differ
        --timestamp <time>                   Time of the first block, in seconds since 1970 or as a date in UTC;
                                             also --initial-date (default: now)
        --gas-limit <gas>                    Gas limit of each block, 60000000 from --hardfork osaka on; with
                                             --network-limits of the first; also --block-gas-limit (default:
                                             30000000)
        --call-gas-limit <gas>               Maximum gas of a call, a trace of a call or a simulation (default:
                                             1073741824, --gas-limit if that is larger, 10000000 with
                                             --network-limits)
        --tx-gas-limit [gas|none]            Maximum gas of one transaction (EIP-7825); hardfork: 16777216 from
                                             osaka on; also --enable-tx-gas-limit (default: hardfork)
        --min-gas-price <wei>                Least gas price that a transaction must offer (default: 0)
        --min-gas-price-target <wei>         Least gas price that blocks drift to, one percent each (default: it
                                             stays as it is)
        --gas-price <wei>                    Gas price that eth_gasPrice answers (default: a tenth above the least)
        --block-base-fee-per-gas <wei>       Base fee of the first block; also --base-fee (default: 1 gwei, where
                                             the rules have one)
        --code-size-limit <bytes>            Largest code of a contract (EIP-170), 65536 under --hardfork amsterdam
                                             (default: 24576)
        --disable-code-size-limit            Let contracts be of any size; also --allow-unlimited-contract-size,
                                             --unlimited-contract-size
        --network-limits                     Hold transactions and blocks to the network's own limits
        --no-predeploys                      Start without the CREATE2 deployer, Multicall3, CreateX, Permit2 and
                                             EntryPoint 0.7 to 0.9; also --disable-default-create2-deployer,
                                             --no-create2
        --data-dir <dir>                     Keep the chain in this directory, and go on with the one that is there
                                             (default: the chain is gone with the process)
        --no-sync                            Answer before the disk has all: faster, but a crash of the machine may
                                             lose the last blocks

      Fork:
        -f, --fork-url <url[@block]>         URL of a node to begin from, with @ and a block number if need be; more
                                             for when it fails; also --rpc-url, --fork (default: a chain with a
                                             first block of its own; repeatable)
        --fork-block-number <number>         Block after which the chain begins (default: the newest block)
        --fork-transaction-hash <hash>       Transaction right before which the chain begins (default: after a
                                             block)
        --fork-chain-id <number>             The upstream's chain id, which is then not asked for (default: the
                                             upstream is asked)
        --fork-header <name: value>          HTTP header that goes with each request to the upstream; also
                                             --fork-headers (default: none; repeatable)
        --timeout <milliseconds>             Time that an answer of the upstream may take (default: 45000)
        --retries <number>                   How often a request to the upstream is tried again; with 5 or fewer, at
                                             most 3 times within 3 seconds if no server is reached at the start
                                             (default: 5)
        --fork-retry-backoff <milliseconds>  Time before the first retry, twice as long before each one after that
                                             (default: 1000)
        --compute-units-per-second <units>   Compute units that the upstream may be asked for each second; also
                                             --cups (default: 330 once the upstream says that it was too much)
        --no-rate-limit                      Ask the upstream as fast as it answers; also --no-rpc-rate-limit
        --no-storage-caching                 Keep nothing of what the upstream answers on disk
        --fork-cache-dir <dir>               Directory that keeps what upstreams answer, for all runs and processes
                                             (default: node-cli/fork in the user's directory for caches)
        --offline                            Never ask the upstream: a value that is neither in the cache nor in
                                             --data-dir is an error
        --fork-record <file>                 File to commit that keeps what runs ask of the upstream: later runs
                                             begin at its block and ask only what is new (default: no record)
        --fork-prefetch                      Ask at the start, in batches, for the state that the last run needed at
                                             another block
        --fork-complete                      Have dumps of a fork hold all that was fetched, so that they load
                                             without the upstream

      State:
        --state <file>                       Go on with the chain in this file if it is there, and save the chain to
                                             it (default: no file)
        --load-state <file>                  Begin with the chain in this file: a dump, or Anvil's state file
                                             (default: a fresh chain)
        --dump-state <file>                  Save the chain to this file, compressed if its name ends in .gz
                                             (default: no file)
        -s, --state-interval <seconds>       Seconds between saves of a chain that changes; 0 to save it at the end
                                             only (default: 60)
        --prune-history [blocks]             Keep only the newest N blocks and their state (0 = keep all; without a
                                             number 1000); also --transaction-block-keeper (default: 0)
        --init <file>                        Make the first block from geth's genesis file; also --genesis (default:
                                             the node's own first block)

      Mining:
        --coinbase <address>                 Address that mines the blocks and gets the fees (default:
                                             0xec4ddeb4380ad69b3e509baad9f158cdf4e4681d)
        --remasc                             End each block with the REMASC transaction, which shares out the fees
                                             of earlier blocks
        -b, --block-time <seconds>           Mine a block each time this many seconds have passed; also --blockTime
                                             (default: a block for each transaction, at once)
        --mixed-mining                       Mine each transaction at once as well as at the block time
        --no-mining                          Mine only when asked to (evm_mine); also --no-mine
        --difficulty <hashes>                Difficulty of each block: hashes that its proof of work takes on
                                             average (default: 1)
        --allow-blocks-with-same-timestamp   Let a block have its parent's timestamp: blocks made within a second,
                                             and one that is set
        --order <fees|fifo>                  Which transactions come first in a block: the best paid, or the first
                                             come (default: fees)
        --pool-timeout <seconds>             Forget transactions that have waited for so long in real time; 0 for
                                             never, 650 on the network (default: 0)
        --pool-timeout-blocks <blocks>       Forget transactions once more blocks than so many have passed; 0 for
                                             never, 10 on the network (default: 0)

      Dialect:
        --hosted                             Answer as the hosted service does: no keys held, an estimate in every
                                             case
        --erc7562                            Refuse user operations whose validation breaks the opcode, storage and
                                             stake rules of ERC-7562, or whose contracts have a bad reputation; also
                                             --safe-mode
        --compat <name>                      Error style; auto: hardhat for Hardhat, anvil in viem, wagmi and
                                             Foundry projects, else service: auto, service, anvil, hardhat (default:
                                             auto)
        --field-names <service|native>       Names of a block's fields: the service's parentchain…, or the network's
                                             own bitcoin…, rskPteEdges and baseEvent (default: service)

      Output:
        --artifacts <dir>                    Folder with build outputs, by which calls are decoded and failures have
                                             stack traces (default: those of the Hardhat, Foundry or Truffle project
                                             that the node runs in; repeatable)
        --no-artifacts                       Look for no build outputs
        --config-out <file>                  Write accounts, keys, URL and chain facts to this file as JSON
                                             (default: no file)
        -q, --quiet                          Print the listening line only; also --silent
        -v, --verbose                        Print every request and every block on its own
        --no-console-log                     Print nothing of what contracts write with console.log; also
                                             --disable-console-log
        --json                               Print one JSON object per line; also --format-json
        --no-color                           Print without colours and cursor movement, as NO_COLOR asks for too

      Gas and coverage:
        --coverage <file>                    Count which lines, functions and branches of the sources run, and write
                                             them to this file at the end, for lcov; %p in its name is the process
                                             id (default: nothing is counted)
        --coverage-exclude <path>            Leave these sources out of the coverage, too; * stands for any
                                             characters (default: tests and packages alone; repeatable)
        --gas-report [file]                  At the end print the gas of each contract and function, or write it:
                                             .json as JSON, .md as Markdown, others as text (default: gas is not
                                             measured)
        --gas-baseline <file>                Earlier gas report in JSON, with which the new one is compared
                                             (default: nothing is compared)
        --gas-tolerance <percent>            Percent by which average and median gas may grow; beyond it the process
                                             ends with 3 (default: any)
        --profile <file>                     At the end write the gas by call path and source line: .json for
                                             speedscope, .txt or .folded as collapsed stacks (default: nothing is
                                             profiled)

      Program:
        --config <file>                      Take options that are not given from this file, by their camel-case
                                             names (default: node-cli.config.json, .js, .mjs or .ts, if it is there)
        --no-config                          Take no options from a file
        -V, --version                        Print the version
        -h, --help                           Print this help

      Commands:
        start                          Start the node; the command that is meant without one
        accounts                       Print the accounts and their private keys that a node with these options has
        state inspect <file>           Print what is in a dump of a chain, or in Anvil's state file
        state diff <file> <file>       Print how two chains differ at their heads; ends with 1 if they do
        cache ls                       List what is kept of the chains that were forked
        cache clean                    Remove what is kept of the chains that were forked
        cache pack <file.gz>           Write what is kept of the chains that were forked into one file
        cache unpack <file.gz>         Add the answers of such a file to those that are kept
        coverage merge <file...>       Add up the files of --coverage that several nodes wrote
        completion <bash|zsh|fish>     Print a script that makes a shell complete commands and options
        methods [name]                 Print the methods of the node, or all about the one of that name
        exec <command...>              Run a command beside a node, whose URL is in its environment
        mcp                            Serve agents: the Model Context Protocol on standard input and output
        wait                           Wait until a node answers, and no longer than --within
        status                         Print what chain a running node has, and how far it is
        trace <hash|to> [call...]      Print what a transaction of a running node did, or what a call would do
        compare [hash or file]         Print how transactions of a node, or of a dump, differ under other hardforks
        help [command or topic]        Print the help, or that of a command or a topic; help help lists the topics
        version                        Print the version

      Each option but --help and --version is an environment variable too, NODE_CLI_ and its name in capitals:
      NODE_CLI_BLOCK_TIME=2 is --block-time 2, NODE_CLI_NO_MINING=true is --no-mining. A flag wins over a variable,
      and a variable over the file: { "blockTime": 2, "noMining": true }.

      Topics of node-cli help <topic>:
        server, chain, hardforks, forks, state-files, mining, dialects, lanes, tests, errors, output, gas,
        config, agents

      Examples:
        node-cli                                   start with ten funded accounts on http://127.0.0.1:8545
        node-cli --port 0 --quiet                  pick a free port and print only where
        node-cli --block-time 2 --mixed-mining     mine each transaction at once, and a block every two seconds
        node-cli --state chain.json.gz             go on with a chain next time
        node-cli --hardfork cancun                 play an Ethereum chain with base fee and typed transactions
      "
    `);
  });

  it('says of an option what it means to the command', () => {
    const [, options = ''] = helpText('coverage merge').split('Gas and coverage:\n');
    expect(options).toMatch(/^ {2}--coverage <file> +Write the sum to this file, and print a table of it/);
    expect(options).not.toContain('Count which lines');
    expect(helpText('start')).toContain('Count which lines');
  });

  it('has a topic about all that is measured, with its options and the codes that the process ends with', async () => {
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
    for (const code of Object.values(codes)) expect(text).toMatch(new RegExp(`\\bwith ${code}\\b`));
  });

  it('tells of the commands that begin with one word', () => {
    expect(helpText('state')).toMatchInlineSnapshot(`
      "Usage: node-cli state <inspect|diff> [options]

      Look into files that chains are saved to.

      Commands:
        state inspect <file>           Print what is in a dump of a chain, or in Anvil's state file
        state diff <file> <file>       Print how two chains differ at their heads; ends with 1 if they do

      node-cli state inspect --help lists its options.
      "
    `);
    expect(helpText('cache')).toMatchInlineSnapshot(`
      "Usage: node-cli cache <ls|clean|pack|unpack> [options]

      Look after what is kept of the chains that were forked.

      Commands:
        cache ls                       List what is kept of the chains that were forked
        cache clean                    Remove what is kept of the chains that were forked
        cache pack <file.gz>           Write what is kept of the chains that were forked into one file
        cache unpack <file.gz>         Add the answers of such a file to those that are kept

      node-cli cache ls --help lists its options.
      "
    `);
  });
});
