// A low-overhead JSON-RPC client over keep-alive connections, for measurements.
import { once } from 'node:events';
import { Agent, request } from 'node:http';

export class Client {
  #agent;
  #url;

  /** `connections` is the maximum number of concurrent requests. Further requests wait. */
  constructor(url, connections = 1) {
    this.#url = url;
    this.#agent = new Agent({ keepAlive: true, maxSockets: connections });
  }

  /** Resolves to the result of a call. Rejects if the reply is an error. */
  async call(method, ...params) {
    const { result, error } = await this.#post({ jsonrpc: '2.0', id: 1, method, params });
    if (error) throw new Error(`${method}: ${error.message}`);
    return result;
  }

  /** Resolves to the results of a batch of calls of one method. */
  async batch(count, method, ...params) {
    const calls = Array.from({ length: count }, (_, id) => ({ jsonrpc: '2.0', id, method, params }));
    const answers = await this.#post(calls);
    if (answers.length !== count || answers.some(({ error }) => error))
      throw new Error(`a batch of ${method} was not answered`);
    return answers.map(({ result }) => result);
  }

  /** Sends a transaction and resolves to its receipt. Rejects if it failed. */
  async receipt(transaction) {
    const hash = await this.call('eth_sendTransaction', transaction);
    const receipt = await this.call('eth_getTransactionReceipt', hash);
    if (receipt?.status !== '0x1') throw new Error(`transaction ${hash} was not mined`);
    return receipt;
  }

  close() {
    this.#agent.destroy();
  }

  async #post(content) {
    const body = JSON.stringify(content);
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    const sent = request(this.#url, { method: 'POST', agent: this.#agent, headers });
    sent.end(body);
    const [response] = await once(sent, 'response');
    let text = '';
    for await (const chunk of response.setEncoding('utf8')) text += chunk;
    return JSON.parse(text);
  }
}
