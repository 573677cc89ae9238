import type * as library from '../dist/types/index.d.ts' with { 'resolution-mode': 'import' };

export type ConsoleLog = library.ConsoleLog;
export type ForkOptions = library.ForkOptions;
export type ListenOptions = library.ListenOptions;
export type LocalNode = library.LocalNode;
export type LocalNodeEvents = library.LocalNodeEvents;
export type LocalNodeListener<Event extends keyof LocalNodeEvents> = library.LocalNodeListener<Event>;
export type LocalNodeOptions = library.LocalNodeOptions;
export type LocalServer = library.LocalServer;
export type LocalSnapshot = library.LocalSnapshot;
export type ProviderMessage = library.ProviderMessage;
export type RequestArguments = library.RequestArguments;

/** Starts a chain in this process. Rejects with `UsageError` for options that the command line would refuse too. */
export declare function createNode(options?: LocalNodeOptions): Promise<LocalNode>;
