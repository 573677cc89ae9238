import type { Message as LibraryMessage } from '@ethereumjs/evm';
import type { Address } from '@ethereumjs/util';
import { equalBytes, padLeft, stripLeadingZeros } from '../../../primitives/bytes.ts';
import type { Log } from '../../../protocol/receipt.ts';
import type { Overlay } from '../../../state/overlay.ts';
import type { Purpose } from '../../admission.ts';
import type { BlockEnvironment, Message } from '../../engine.ts';
import { PrecompileError } from '../../precompiles/errors.ts';
import type { NativeAccount } from '../../precompiles/native-account.ts';
import type { NativeCall } from '../../precompiles/native-call.ts';
import { ownStorageAt } from '../../precompiles/network/own-storage.ts';
import { signedMessageOf } from '../../signed-message.ts';

/** A message of the library that calls somebody. */
export type CallMessage = LibraryMessage & { to: Address };

/** What the contracts of the network are called in. */
export interface NativeScene {
  readonly environment: BlockEnvironment;
  readonly state: Overlay;
  readonly message: Message;
  readonly purpose: Purpose;
}

/** The account of a contract, in an overlay: what the library takes back there is taken back for the contract too. */
class OverlayNativeAccount implements NativeAccount {
  readonly #address: Uint8Array;
  readonly #state: Overlay;
  readonly #logs: Log[];

  constructor(address: Uint8Array, state: Overlay, logs: Log[]) {
    this.#address = address;
    this.#state = state;
    this.#logs = logs;
  }

  slot(key: Uint8Array): Uint8Array {
    return padLeft(ownStorageAt(this.#state, this.#address, key), 32);
  }

  setSlot(key: Uint8Array, value: Uint8Array): void {
    this.#state.setStorage(this.#address, key, stripLeadingZeros(value));
  }

  send(to: Uint8Array, value: bigint): void {
    if ((this.#state.account(this.#address)?.balance ?? 0n) < value) {
      throw new PrecompileError('The contract has not so many coins');
    }
    this.#addBalance(this.#address, -value);
    this.#addBalance(to, value);
  }

  log(topics: readonly Uint8Array[], data: Uint8Array): void {
    this.#logs.push({ address: this.#address, topics, data });
  }

  #addBalance(address: Uint8Array, change: bigint): void {
    const { nonce, balance } = this.#state.account(address) ?? { nonce: 0n, balance: 0n };
    this.#state.setAccount(address, { nonce, balance: balance + change });
  }
}

/** How a message of the library calls a contract of the network; `logs` take what the contract logs. */
export function nativeCallOf(scene: NativeScene, message: CallMessage, logs: Log[]): NativeCall {
  const { purpose, state } = scene;
  const address = message.codeAddress.bytes;
  return {
    caller: message.caller.bytes,
    value: message.value,
    isStatic: message.isStatic,
    isBorrowed: message.delegatecall || !equalBytes(message.to.bytes, address),
    isQuestion: purpose === 'call',
    transaction: purpose === 'call' ? undefined : signedMessageOf(scene.message),
    account: new OverlayNativeAccount(address, state, logs),
  };
}
