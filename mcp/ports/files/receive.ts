import { createHash, randomBytes } from 'node:crypto'
import { type FileHandle, mkdir, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { ToolError } from '../../kernel/error.ts'
import type { Receiving, StoredFile } from './port.ts'

const headBytes = 4096

const tooLarge = (maxBytes: number) =>
  new ToolError('too_large', `The file is over ${maxBytes} bytes.`, {
    hint: 'Send a smaller one.',
    headers: { Connection: 'close' },
  })

const otherHash = (sha256: string, actual: string) =>
  new ToolError('invalid_input', 'sha256: the bytes that came have another hash.', {
    reason: 'hash_mismatch',
    issues: [{ path: 'sha256', message: `promised ${sha256}, came ${actual}` }],
  })

const writeAll = async (
  handle: FileHandle,
  chunks: AsyncIterable<Uint8Array>,
  { maxBytes, sha256, check }: Receiving,
): Promise<StoredFile> => {
  const hash = createHash('sha256')
  let bytes = 0
  let head = Buffer.alloc(0)
  let isChecked = false
  for await (const chunk of chunks) {
    bytes += chunk.length
    if (bytes > maxBytes) throw tooLarge(maxBytes)
    if (!isChecked) {
      head = Buffer.concat([head, chunk.subarray(0, headBytes - head.length)])
      isChecked = head.length === headBytes
      if (isChecked) check?.(head)
    }
    hash.update(chunk)
    await handle.writeFile(chunk)
  }
  if (!isChecked) check?.(head)
  await handle.sync()
  const actual = hash.digest('hex')
  if (sha256 !== undefined && sha256 !== actual) throw otherHash(sha256, actual)
  return { sha256: actual, bytes }
}

/**
 * Writes a stream to a draft in a folder, to the disk, and lets `keep` have it; the draft is gone afterwards. What breaks off leaves
 * nothing behind, and a process that is killed a draft that nobody reads.
 */
export const receive = async <T>(
  folder: string,
  chunks: AsyncIterable<Uint8Array>,
  receiving: Receiving,
  keep: (draft: string, file: StoredFile) => Promise<T>,
): Promise<T> => {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const draft = join(folder, randomBytes(16).toString('hex'))
  const handle = await open(draft, 'wx', 0o600)
  try {
    const file = await writeAll(handle, chunks, receiving).finally(() => handle.close())
    return await keep(draft, file)
  } finally {
    await rm(draft, { force: true })
  }
}
