import { MemoryLevel } from 'memory-level';

/** An empty key-value store that lives and dies with the process, open. */
export async function openMemoryStore(): Promise<MemoryLevel<string, Uint8Array>> {
  const store = new MemoryLevel<string, Uint8Array>({
    storeEncoding: 'view',
    keyEncoding: 'utf8',
    valueEncoding: 'view',
  });
  await store.open();
  return store;
}
