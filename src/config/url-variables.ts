/** Returns the variables with the URL of a node: our own, a common one of libraries, and Foundry's. */
export function urlVariables(url: string): Readonly<Record<string, string>> {
  return { NODE_CLI_URL: url, ETH_RPC_URL: url, FOUNDRY_ETH_RPC_URL: url };
}
