import { namesOf } from '../../../json/json-writer.ts';
import { toHex } from '../../../primitives/hex.ts';
import { isRecord } from '../../../primitives/record.ts';
import { mapInSteps, type Steps } from '../../../primitives/steps.ts';
import { orNull } from '../../../wire/values.ts';
import { boolean, jsonObject, text, textUpTo } from '../../codecs/basic.ts';
import { describeValue } from '../../codecs/codec.ts';
import { address, countUpTo } from '../../codecs/hex-values.ts';
import { InvalidParamsError } from '../../errors.ts';
import { mayReceivePaths } from '../../local-paths.ts';
import { defineMethod, type Method, optional, param } from '../../method.ts';
import { addUserArtifacts, pathOfContracts } from '../../user-artifacts.ts';

const MAX_NAME_LENGTH = 100;

const label = textUpTo(MAX_NAME_LENGTH, 'a name');

const MAX_SEARCH_LENGTH = 200;
const MAX_FOUND = 100;
const USUAL_FOUND = 20;

const searchText = textUpTo(MAX_SEARCH_LENGTH, 'a string', 1);

const foundCount = countUpTo(MAX_FOUND, 'entries');

type JsonRecord = Readonly<Record<string, unknown>>;

/** Returns the compiler's first error message in parentheses; empty without an error. */
function firstError({ errors }: JsonRecord): string {
  const found: unknown = Array.isArray(errors)
    ? errors.find((each) => isRecord(each) && each.severity === 'error')
    : null;
  const message = isRecord(found) ? found.message : null;
  return typeof message === 'string' ? ` (compiler error: ${describeValue(message)})` : '';
}

/** Work units per checked contract of a compiler output. */
const CONTRACT_WORK = 128;

/**
 * Throws {@link InvalidParamsError} unless the value is a compiler output with contracts, directly or as
 * `output` of build info. Contracts must have an ABI, except in Yul (`language`), because solc writes no ABI
 * for Yul.
 */
function* checkOutput(given: JsonRecord, language: string): Steps<void> {
  const output = isRecord(given.output) ? given.output : given;
  const path = pathOfContracts(given);
  const { contracts } = output;
  if (!isRecord(contracts) || namesOf(contracts).length === 0) {
    const expected = "the contracts of a compiler's output (standard JSON), by file and name";
    throw new InvalidParamsError(path, expected, `${describeValue(contracts)}${firstError(output)}`);
  }
  for (const file of namesOf(contracts)) {
    const ofFile = contracts[file];
    const place = (): string => `${path}[${describeValue(file)}]`;
    if (!isRecord(ofFile))
      throw new InvalidParamsError(place(), 'an object of contracts', describeValue(ofFile));
    for (const name of namesOf(ofFile)) {
      checkContract(() => `${place()}[${describeValue(name)}]`, ofFile[name], language);
      yield CONTRACT_WORK;
    }
    yield CONTRACT_WORK;
  }
}

function checkContract(place: () => string, contract: unknown, language: string): void {
  if (!isRecord(contract))
    throw new InvalidParamsError(place(), 'an object with abi and evm', describeValue(contract));
  const { abi, evm } = contract;
  if (!Array.isArray(abi) && (abi !== undefined || language !== 'Yul'))
    throw new InvalidParamsError(`${place()}.abi`, 'an array (the ABI)', describeValue(abi));
  if (evm !== undefined && !isRecord(evm))
    throw new InvalidParamsError(
      `${place()}.evm`,
      'an object with bytecode and deployedBytecode',
      describeValue(evm),
    );
}

/** Returns the language of a compiler input. Throws {@link InvalidParamsError} for an invalid input. */
function languageOf(given: JsonRecord): string {
  const input = isRecord(given.input) ? given.input : given;
  const path = input === given ? 'input' : 'input.input';
  for (const name of ['sources', 'settings']) {
    const value = input[name];
    if (value !== undefined && !isRecord(value))
      throw new InvalidParamsError(`${path}.${name}`, 'an object, as in standard JSON', describeValue(value));
  }
  const { language = 'Solidity' } = input;
  if (typeof language !== 'string')
    throw new InvalidParamsError(`${path}.language`, 'Solidity, Vyper or Yul', describeValue(language));
  return language;
}

export const INSPECT_CONTRACTS: readonly Method[] = [
  /**
   * Adds the contracts of a solc or Vyper run in standard JSON. They replace contracts of the same file and
   * name, for all lanes. With several API keys, only requests with the same key use them. Rejects, and adds
   * nothing, for an invalid input or output. Also rejects for a contract with more than 20,000 variables in
   * its storage layout or 100,000 nodes in its ABI. Added artifacts use at most a quarter of the heap, at
   * most 256 MiB; the oldest are dropped.
   */
  defineMethod({
    name: 'inspect_addArtifacts',
    summary: 'Adds contracts from compiler input and output, for decoding and stack traces',
    params: [param('input', jsonObject), param('output', jsonObject), optional('version', text, '')],
    result: { description: 'The number of contracts', schema: { type: 'integer' } },
    handler: async ({ node: { inspector }, deadline }, input, output, version) => {
      const language = languageOf(input as JsonRecord);
      await deadline.run(checkOutput(output as JsonRecord, language));
      return addUserArtifacts(inspector, input, output, version === '' ? null : version);
    },
  }),
  defineMethod({
    name: 'inspect_contracts',
    summary: 'The contracts with known artifacts',
    priority: 'high',
    result: {
      description:
        'Name, source, artifact file, `hasInitcode` (false for interfaces and abstract contracts) and known addresses. The file is null if a call added the contract, or if the client may not receive paths (as in inspect_sourcePaths)',
      schema: { type: 'array', items: { type: 'object' } },
    },
    handler: async (context) => {
      const { node, deadline } = context;
      const artifacts = await node.inspector.artifacts.load();
      await artifacts.ready();
      const hasPaths = mayReceivePaths(context);
      const listed = mapInSteps(
        artifacts.contracts,
        () => CONTRACT_WORK,
        ({ name, sourceName, file, creation, deployments }) => ({
          name,
          sourceName,
          file: hasPaths ? file : null,
          hasInitcode: creation !== null,
          deployments,
        }),
      );
      return deadline.run(listed);
    },
  }),
  /**
   * Finds contracts, functions, events and errors in the artifacts, best matches first. The text matches a
   * part of a name, ignoring case. For contracts, it also matches the file name, or the path if it contains a
   * slash. It also matches a signature (`transfer(address`), the selector of a function or error, or the
   * topic of an event or its first 4 bytes.
   */
  defineMethod({
    name: 'inspect_find',
    summary: 'Finds contracts, functions, events and errors by name, signature or selector',
    priority: 'low',
    params: [param('text', searchText), optional('count', foundCount, USUAL_FOUND)],
    result: {
      description:
        'For each found item: `kind` (contract, function, event or error), `name`, `signature` and `selector` (for an event, its topic; for a contract, null). `contracts` lists the `name` and `sourceName` of at most 50 contracts that contain the found item',
      schema: {
        type: 'array',
        items: {
          type: 'object',
          properties: {
            kind: { enum: ['contract', 'function', 'event', 'error'] },
            name: { type: 'string' },
            signature: { type: 'string' },
            selector: orNull({ type: 'string' }),
            contracts: { type: 'array', items: { type: 'object' } },
          },
          required: ['kind', 'name', 'signature', 'selector', 'contracts'],
        },
      },
    },
    handler: async ({ node: { inspector }, deadline }, wanted, count) => {
      const artifacts = await inspector.artifacts.load();
      await artifacts.ready();
      const { shortened } = await import('../../views/inspection.ts');
      return (await artifacts.entries.find(wanted, count, deadline)).map(shortened);
    },
  }),
  /**
   * Labels an address for logs and inspections on all lanes, or, with several API keys, for the same key
   * only. An empty name removes the label.
   */
  defineMethod({
    name: 'inspect_label',
    summary: 'Labels an address in logs and inspections',
    params: [param('address', address), param('name', label)],
    result: { description: 'True', schema: { const: true } },
    handler: async ({ node: { inspector } }, account, name) => {
      const { labels } = await inspector.artifacts.load();
      if (name === '') labels.delete(toHex(account));
      else labels.set(toHex(account), name);
      return true;
    },
  }),
  /**
   * Returns the sources of the contract at an address in the current state: files with contents, compiler
   * with settings, and ABI. `fit` is `similar` if only the metadata differs, for example after a changed
   * comment. For a proxy, `implementation` has the same data of the implementation; `contract` is `null` if
   * the proxy itself is unknown. Returns `null` if both are unknown. If `files` is false, the files are
   * omitted to save space.
   */
  defineMethod({
    name: 'inspect_source',
    summary: 'The sources, compiler and ABI of the contract at an address',
    priority: 'low',
    params: [param('address', address), optional('files', boolean, true)],
    result: {
      description:
        'The address and `contract` (`name`, `sourceName`, `fit`, `compiler`, `abi`, `files`). For a proxy, also `implementation`. Null for an unknown contract',
      schema: { anyOf: [{ type: 'object' }, { type: 'null' }] },
    },
    handler: async ({ node: { chain, inspector }, deadline }, account, hasFiles) => {
      const loaded = await inspector.ready();
      const found = await loaded.source(chain.headState(), account, hasFiles, deadline);
      if (found === null) return null;
      const { contract, implementation } = found;
      return {
        address: toHex(account),
        contract,
        implementation:
          implementation === null
            ? null
            : { address: toHex(implementation.address), contract: implementation.contract },
      };
    },
  }),
];
