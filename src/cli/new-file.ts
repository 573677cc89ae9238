import { type FileHandle, open } from 'node:fs/promises';

/** A file that is written in parts. */
export interface NewFile {
  /** Appends the first bytes of another file. Rejects if it has fewer. */
  copy(path: string, length: number): Promise<void>;
  append(bytes: Uint8Array): Promise<void>;
}

/** Bytes per read. */
const PART_SIZE = 2 ** 20;

/** Returns a file that is open for writing. */
export function newFile(file: FileHandle): NewFile {
  return {
    append: (bytes) => file.writeFile(bytes),
    async copy(path, length) {
      const source = await open(path);
      const buffer = Buffer.allocUnsafe(Math.min(length, PART_SIZE));
      try {
        for (let left = length; left > 0; ) {
          const { bytesRead } = await source.read(buffer, 0, Math.min(left, buffer.length));
          if (bytesRead === 0) throw new Error(`${path} has fewer than ${length} bytes`);
          await file.writeFile(buffer.subarray(0, bytesRead));
          left -= bytesRead;
        }
      } finally {
        await source.close();
      }
    },
  };
}
