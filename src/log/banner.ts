import { printable } from '../config/errors.ts';
import { inEther, readableAmount } from '../primitives/ether.ts';
import type { FetchEntry, FileWorkEntry, StartEntry, WorkEntry } from './log-entries.ts';
import type { Style } from './log-writer.ts';

const PUBLIC_KEYS =
  'Warning: everybody knows these keys. Whatever is sent to these accounts on a real network is lost.';
const SHOWN_KEYS = 'Warning: these keys stand here unprotected. Never use them on a real network.';

function reachLines(entry: StartEntry, style: Style): string[] {
  const callers = `everybody who reaches this port${entry.needsApiKey ? ' and has an API key' : ''}`;
  return [
    ...(entry.isExposed ? [style.warning(`Warning: ${callers} can use the unlocked accounts.`)] : []),
    ...(entry.needsApiKey ? [`Call it with the key as path: ${entry.url}/<API_KEY>`] : []),
    ...lanesLine(entry),
  ];
}

function lanesLine({ hasLanes, needsApiKey, url }: StartEntry): string[] {
  if (!hasLanes) return [];
  if (needsApiKey) return ['Each key has a chain of its own'];
  return [`Each path is a chain of its own, forked from this one: ${url}/<any name>`];
}

function accountLines(entry: StartEntry, style: Style): string[] {
  if (entry.accounts.length === 0) return [];
  const width = `(${entry.accounts.length - 1})`.length;
  const heading =
    entry.balance === null
      ? 'Accounts and their private keys'
      : `Accounts with ${inEther(entry.balance)} ether each, and their private keys`;
  return [
    style.bold(heading),
    ...entry.accounts.map(
      ({ address, privateKey }, index) => `${`(${index})`.padEnd(width)} ${address} ${style.dim(privateKey)}`,
    ),
    style.warning(entry.areKeysPublic ? PUBLIC_KEYS : SHOWN_KEYS),
    '',
  ];
}

function predeployLines({ predeploys }: StartEntry): string[] {
  if (predeploys.length === 0) return [];
  return [`Predeployed: ${predeploys.map(({ name }) => name).join(', ')}`];
}

/** Returns the line with the compat mode of each kind of client, and the reason. */
function compatLine({ dialect, compatOfOthers, compatEvidence }: StartEntry): string {
  if (dialect !== 'auto') return `Compat: ${dialect} for all clients (--compat)`;
  const reason =
    compatEvidence === null
      ? 'no viem, wagmi or foundry.toml in this project; for those pass --compat anvil'
      : printable(compatEvidence);
  return `Compat: hardhat for Hardhat, ${compatOfOthers} for other clients (${reason})`;
}

/** Returns the line with the URL. It is the last line of a start; tools wait for its first two words. */
export function listeningLine(url: string): string {
  return `Listening on ${url}`;
}

/** Returns the lines of a start before the listening line. */
export function bannerLines(entry: StartEntry, style: Style): string[] {
  const { wallet } = entry;
  const walletLines =
    wallet === null
      ? []
      : [`Mnemonic         ${wallet.mnemonic}`, `Derivation path  ${wallet.derivationPath}`, ''];
  const facts = [
    ...(entry.preset === null ? [] : [`like ${entry.preset}`]),
    `chain ${entry.chainId}`,
    `network ${entry.networkId}`,
    `${entry.ruleSet} rules${entry.isPreview ? ' (a preview: node-cli help hardforks)' : ''}`,
    ...(entry.networkLimits ? ["the network's own limits"] : []),
    `gas limit ${entry.gasLimit}`,
    `minimum gas price ${entry.minimumGasPrice === 0n ? '0' : readableAmount(entry.minimumGasPrice)}`,
    entry.mining,
  ];
  return [
    `${style.bold('node-cli')} ${entry.version}`,
    '',
    ...accountLines(entry, style),
    ...walletLines,
    ...(entry.fork === null ? [] : [`Fork of ${entry.fork.url} after block ${entry.fork.number}`]),
    facts.join(' · '),
    compatLine(entry),
    ...predeployLines(entry),
    ...artifactLines(entry),
    ...(entry.configFile === null ? [] : [`Options of ${printable(entry.configFile)}`]),
    ...(entry.loadedFrom === null ? [] : [`Loaded from ${printable(entry.loadedFrom)}`]),
    ...(entry.savedTo === null ? [] : [`Saves to ${printable(entry.savedTo)}`]),
    ...(entry.dataDirectory === null ? [] : [`Kept in ${printable(entry.dataDirectory)}`]),
    ...(entry.continuedAfter === null ? [] : [`Goes on after block ${entry.continuedAfter}`]),
    ...reachLines(entry, style),
    ...(entry.servesPage ? ['Open the URL below in a browser to see the chain'] : []),
    `WebSocket on ${entry.webSocketUrl}`,
  ];
}

/** Returns the line about the folders of build outputs: those that are there, or where they are waited for. */
function artifactLines({ artifactFolders }: StartEntry): string[] {
  if (artifactFolders.length === 0) return [];
  const there = artifactFolders.filter(({ isThere }) => isThere);
  // The first folder of a tool has what it compiles, the others what it deploys.
  const awaited = artifactFolders.filter(
    ({ tool }, index) => tool === null || artifactFolders.findIndex((first) => first.tool === tool) === index,
  );
  const told = there.length > 0 ? there : awaited;
  const tools = [...new Set(told.flatMap(({ tool }) => tool ?? []))].join(' and ');
  const paths = told.map(({ path }) => printable(path)).join(', ');
  const subject = `Artifacts${tools === '' ? '' : ` of ${tools}`}`;
  return [there.length > 0 ? `${subject} in ${paths}` : `${subject} are awaited in ${paths}`];
}

const WORDS = {
  load: { going: 'Loading the chain from', done: 'Loaded the chain from' },
  save: { going: 'Saving the chain to', done: 'Saved the chain to' },
} as const;

/** Returns the line about work that takes long, with the part that is done where the line can be rewritten. */
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
