import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ToolError } from '../../kernel/error.ts'
import { isRecord, parseJson } from '../../lib/json.ts'
import { keepOnce } from '../write-file.ts'

const isKey = (value: unknown): value is string => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value)

const readKey = async (file: string): Promise<string | undefined> => {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (text === undefined) return undefined
  const value = parseJson(text)
  if (isRecord(value) && isKey(value.key)) return value.key
  throw new ToolError('unavailable', 'lightning.json in the data folder does not hold a key.', {
    hint: 'Delete the file; a new key is made, and invoices of the old one were worth nothing.',
  })
}

/** The key of a data folder's development node, in `lightning.json`, readable by the owner only. It is made once. */
export const openLightningKey = async (dir: string): Promise<string> => {
  const file = join(dir, 'lightning.json')
  const storedKey = await readKey(file)
  if (storedKey !== undefined) return storedKey
  const key = randomBytes(32).toString('hex')
  await keepOnce(file, { key })
  return (await readKey(file)) ?? key
}
