/** Returns the variables in which programs look for the URL of a node: this one's own, that of many libraries, and Foundry's. */
export function urlVariables(url: string): Readonly<Record<string, string>> {
  return { NODE_CLI_URL: url, ETH_RPC_URL: url, FOUNDRY_ETH_RPC_URL: url };
}
