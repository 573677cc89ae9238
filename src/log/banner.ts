import { printable } from '../config/errors.ts';
import { inEther, readableAmount } from '../primitives/ether.ts';
import { grouped } from '../primitives/grouped.ts';
import { type RuleSetName, ruleSetNamed } from '../protocol/hardforks/registry.ts';
import type { CompatName } from '../rpc/compat.ts';
import type { FetchEntry, FileWorkEntry, StartEntry, WorkEntry } from './log-entries.ts';
import type { Style } from './log-writer.ts';

const PUBLIC_KEYS =
  'Warning: these keys are public. Funds sent to these accounts on a live network will be stolen.';
const SHOWN_KEYS = 'Warning: these keys are printed in plain text. Do not use them on a live network.';

/** Maximum accounts in the banner. `node-cli accounts` prints all. */
const SHOWN_ACCOUNTS = 5;

const LABEL_WIDTH = 12;

function fact(label: string, text: string): string {
  return `${`${label}:`.padEnd(LABEL_WIDTH)}${text}`;
}

function accountLines(entry: StartEntry, style: Style): string[] {
  const { accounts, balance, fork } = entry;
  if (accounts.length === 0) return [];
  const each = accounts.length === 1 ? '' : ' each';
  // The accounts of the forked chain with these addresses have other balances.
  const scope = fork === null ? '' : ' (only on this fork)';
  const ether = balance === null ? '' : ` with ${grouped(inEther(balance))} ether${each}${scope},`;
  const heading =
    accounts.length === 1
      ? `1 account${ether} and its private key`
      : `${accounts.length} accounts${ether} and their private keys`;
  return [
    style.bold(heading),
    ...accounts
      .slice(0, SHOWN_ACCOUNTS)
      .map(({ address, privateKey }, index) => `(${index}) ${address} ${style.dim(privateKey)}`),
    ...furtherAccounts(entry),
    style.warning(entry.areKeysPublic ? PUBLIC_KEYS : SHOWN_KEYS),
    '',
  ];
}

const DEFAULT_COUNT = 10;

/** Returns the command that prints the other accounts, or the loaded file. */
function sourceOfAccounts({ accounts, wallet, hasDefaultWallet, loadedFrom }: StartEntry): string {
  if (wallet === null) {
    return loadedFrom === null
      ? 'npx node-cli accounts --dev-accounts network'
      : `the keys are in ${printable(loadedFrom)}`;
  }
  const { mnemonic, derivationPath } = wallet;
  const origin = hasDefaultWallet ? '' : ` --mnemonic "${mnemonic}" --derivation-path ${derivationPath}`;
  const count = accounts.length > DEFAULT_COUNT ? ` --accounts ${accounts.length}` : '';
  return `npx node-cli accounts${origin}${count}`;
}

/** Returns the line about further accounts, or else about a mnemonic that is not the default. */
function furtherAccounts(entry: StartEntry): string[] {
  const { accounts, wallet, hasDefaultWallet } = entry;
  const left = accounts.length - SHOWN_ACCOUNTS;
  if (left > 0) return [`… ${left} more: ${sourceOfAccounts(entry)}`];
  if (wallet === null || hasDefaultWallet) return [];
  return [`Mnemonic: ${wallet.mnemonic} (${wallet.derivationPath})`];
}

function chainLine(entry: StartEntry): string {
  const { chainId, networkId, minimumGasPrice } = entry;
  const network = networkId === chainId ? '' : ` (network id ${networkId})`;
  return fact(
    'Chain',
    [
      `${chainId}${network}`,
      `${entry.ruleSet} rules${entry.isPreview ? ' (preview; see npx node-cli help hardforks)' : ''}`,
      ...(entry.preset === null ? [] : [`preset ${entry.preset}`]),
      ...(entry.federation === null ? [] : [`federation ${entry.federation}`]),
      ...(entry.networkLimits ? ["Rootstock's limits"] : []),
      entry.mining,
      `gas limit ${grouped(entry.gasLimit)}`,
      `minimum gas price ${minimumGasPrice === 0n ? '0' : readableAmount(minimumGasPrice)}`,
    ].join(' · '),
  );
}

/** True for rules of Rootstock without typed transactions. */
function isLegacyOnly(ruleSet: RuleSetName): boolean {
  const { encoding, fees } = ruleSetNamed(ruleSet);
  return encoding === 'network' && fees.name === 'gas price';
}

/** Returns a hint for forge and cast, which otherwise require a base fee. Rootstock blocks have none. */
function legacyHint({ compatEvidence, ruleSet }: StartEntry): string {
  const needsLegacy = compatEvidence === 'foundry.toml' && isLegacyOnly(ruleSet);
  return needsLegacy ? '; pass --legacy to forge and cast' : '';
}

/** The error style of each compat mode, with the mode's name if the style does not contain it. */
const ERROR_STYLES: Readonly<Record<CompatName, string>> = {
  service: "Rootstock's errors (service)",
  anvil: "Anvil's errors",
  hardhat: "Hardhat's errors",
};

/** Returns the line with the error style of each kind of client, and the reason. */
function compatLine(entry: StartEntry): string {
  const { dialect, compatOfOthers, compatEvidence } = entry;
  if (dialect !== 'auto') return fact('Compat', `${ERROR_STYLES[dialect]} for all clients (--compat)`);
  const reason =
    compatEvidence === null
      ? 'no viem, wagmi or foundry.toml in this project; for viem or Foundry, pass --compat anvil'
      : `${printable(compatEvidence)}${legacyHint(entry)}`;
  return fact(
    'Compat',
    `${ERROR_STYLES.hardhat} for Hardhat, ${ERROR_STYLES[compatOfOthers]} for other clients (${reason})`,
  );
}

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** The hint for a start outside of a project. */
const NO_PROJECT =
  'no build outputs found; to decode calls and errors, start the node in the project or pass --artifacts <dir>';

/** Returns an age in its largest unit: `3 h`. Takes seconds. */
function ageText(seconds: number): string {
  if (seconds < MINUTE) return `${Math.max(0, seconds)} s`;
  if (seconds < HOUR) return `${Math.floor(seconds / MINUTE)} min`;
  return seconds < DAY ? `${Math.floor(seconds / HOUR)} h` : `${Math.floor(seconds / DAY)} days`;
}

function forkLine({ fork }: StartEntry): string[] {
  if (fork === null) return [];
  const { url, number, age, isFollowing } = fork;
  const following = isFollowing ? ' · follows new blocks (--fork-follow)' : '';
  return [fact('Fork', `${url} at block ${grouped(number)} (${ageText(age)} old)${following}`)];
}

function projectLine(entry: StartEntry): string[] {
  const config = entry.configFile === null ? [] : [printable(entry.configFile)];
  const missing = entry.lacksProject ? [NO_PROJECT] : [];
  const parts = [...config, ...artifactParts(entry), ...missing];
  return parts.length === 0 ? [] : [fact('Project', parts.join(' · '))];
}

/** Returns the existing folders of build outputs, or else the watched ones. */
function artifactParts({ artifactFolders }: StartEntry): string[] {
  if (artifactFolders.length === 0) return [];
  const existing = artifactFolders.filter(({ isThere }) => isThere);
  // The first folder of a tool has contracts, the others have deployments.
  const awaited = artifactFolders.filter(
    ({ tool }, index) => tool === null || artifactFolders.findIndex((first) => first.tool === tool) === index,
  );
  const shown = existing.length > 0 ? existing : awaited;
  const tools = [...new Set(shown.flatMap(({ tool }) => tool ?? []))].join(' and ');
  const paths = shown.map(({ path }) => printable(path)).join(', ');
  const suffix = existing.length > 0 ? '' : ' (not built yet)';
  return [`${tools === '' ? 'artifacts' : `${tools} artifacts`}: ${paths}${suffix}`];
}

function stateLine(entry: StartEntry): string[] {
  const parts = [
    ...(entry.dataDirectory === null ? [] : [`data directory ${printable(entry.dataDirectory)}`]),
    ...(entry.loadedFrom === null ? [] : [`loaded from ${printable(entry.loadedFrom)}`]),
    ...(entry.savedTo === null ? [] : [`saved to ${printable(entry.savedTo)}`]),
    ...(entry.continuedAfter === null ? [] : [`continues from block ${grouped(entry.continuedAfter)}`]),
  ];
  return parts.length === 0 ? [] : [fact('State', parts.join(' · '))];
}

function accessLines(entry: StartEntry, style: Style): string[] {
  const { hasLanes, needsApiKey, url } = entry;
  const clients = needsApiKey ? 'every client with an API key' : 'every client that can reach this port';
  const keyed = hasLanes ? 'each API key has its own chain' : 'the API key is the URL path';
  return [
    ...(hasLanes && !needsApiKey
      ? [fact('Lanes', `${url}/<name> is an isolated copy of this chain, created on first use`)]
      : []),
    ...(needsApiKey ? [fact('API key', `${url}/<API_KEY>; ${keyed}`)] : []),
    ...(entry.isExposed ? [style.warning(`Warning: ${clients} can use the unlocked accounts.`)] : []),
  ];
}

function parentChainLines({ parentUrls, pegs }: StartEntry): string[] {
  if (pegs === null) return [];
  const federate = pegs.hasFederate ? 'federate on' : 'federate off (--no-federate)';
  return [
    fact('Bitcoin', `RPC of the parent chain at ${parentUrls.join(' and ')}`),
    fact('Federation', `${pegs.address} · ${federate}`),
  ];
}

/** Returns the last line of a start. Tools wait for its first two words. */
export function listeningLine(url: string): string {
  return `Listening on ${url}`;
}

/** Returns the lines of a start before the listening line. Together, they are at most 20 lines. */
export function bannerLines(entry: StartEntry, style: Style): string[] {
  const { servesExplorer, url, webSocketUrl, ipcPath } = entry;
  return [
    `${style.bold('node-cli')} ${entry.version}`,
    '',
    ...accountLines(entry, style),
    chainLine(entry),
    compatLine(entry),
    ...forkLine(entry),
    ...projectLine(entry),
    ...stateLine(entry),
    ...parentChainLines(entry),
    ...accessLines(entry, style),
    ...(ipcPath === null ? [] : [fact('IPC', printable(ipcPath))]),
    servesExplorer
      ? fact('Explorer', `${url} · WebSocket: ${webSocketUrl}`)
      : fact('WebSocket', webSocketUrl),
  ];
}

const WORDS = {
  load: { going: 'Loading the chain from', done: 'Loaded the chain from' },
  save: { going: 'Saving the chain to', done: 'Saved the chain to' },
} as const;

/** Returns the line about long work. A line that can be rewritten contains the progress. */
export function workLine(entry: WorkEntry, isRewritten: boolean): string {
  return entry.activity === 'fetch' ? fetchLine(entry, isRewritten) : fileLine(entry, isRewritten);
}

function fileLine(entry: FileWorkEntry, isRewritten: boolean): string {
  const { going, done } = WORDS[entry.activity];
  const path = printable(entry.path);
  if (entry.stage === 'done') return `${done} ${path} in ${seconds(entry.durationMs)}`;
  return isRewritten ? `${going} ${path} ${Math.floor(entry.fraction * 100)} %` : `${going} ${path} …`;
}

function fetchLine(entry: FetchEntry, isRewritten: boolean): string {
  const host = printable(entry.host);
  const answers = entry.answers === 1 ? '1 answer' : `${entry.answers} answers`;
  if (entry.stage === 'done') return `Fetched ${answers} from ${host} in ${seconds(entry.durationMs)}`;
  return isRewritten ? `Fetching from ${host} … ${answers}` : `Fetching from ${host} …`;
}

function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(1)} s`;
}
