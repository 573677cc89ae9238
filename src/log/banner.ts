import { printable } from '../config/printable.ts';
import { inEther, readableAmount } from './amounts.ts';
import type { FetchEntry, FileWorkEntry, StartEntry, WorkEntry } from './log-entries.ts';
import type { Style } from './style.ts';

const PUBLIC_KEYS =
  'Warning: everybody knows these keys. Whatever is sent to these accounts on a real network is lost.';
const SHOWN_KEYS = 'Warning: these keys stand here unprotected. Never use them on a real network.';

function reachLines(entry: StartEntry, style: Style): string[] {
  const callers = `everybody who reaches this port${entry.needsApiKey ? ' and has an API key' : ''}`;
  return [
    ...(entry.isExposed ? [style.warning(`Warning: ${callers} can use the unlocked accounts.`)] : []),
    ...(entry.needsApiKey ? [`Call it with the key as path: ${entry.url}/<API_KEY>`] : []),
  ];
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

/** The line about whose habits the node follows for which callers. */
function dialectLine({ dialect }: StartEntry): string {
  if (dialect !== 'auto') return `Dialect ${dialect} for all callers`;
  return 'Dialect hardhat for Hardhat, service for all others (--compat anvil suits viem and Foundry best)';
}

/** The line that says where the node listens. It is the last at the start; tools wait for its first two words. */
export function listeningLine(url: string): string {
  return `Listening on ${url}`;
}

/** The lines that a start shows before the listening line. */
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
    `${entry.ruleSet} rules`,
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
    dialectLine(entry),
    ...predeployLines(entry),
    ...(entry.configFile === null ? [] : [`Options of ${printable(entry.configFile)}`]),
    ...(entry.loadedFrom === null ? [] : [`Loaded from ${printable(entry.loadedFrom)}`]),
    ...(entry.savedTo === null ? [] : [`Saves to ${printable(entry.savedTo)}`]),
    ...(entry.dataDirectory === null ? [] : [`Kept in ${printable(entry.dataDirectory)}`]),
    ...reachLines(entry, style),
    `WebSocket on ${entry.webSocketUrl}`,
  ];
}

const WORDS = {
  load: { going: 'Loading the chain from', done: 'Loaded the chain from' },
  save: { going: 'Saving the chain to', done: 'Saved the chain to' },
} as const;

/** A line about work that takes long; how much of it is done, only where the line is written anew as that changes. */
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
