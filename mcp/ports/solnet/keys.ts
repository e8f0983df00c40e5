import { generateKeyPairSync } from 'node:crypto'
import { chmod, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ToolError } from '../../kernel/error.ts'
import { keepOnce } from '../write-file.ts'
import { base58, fromBase58 } from './base58.ts'

/** Secret keys of one data folder's local Solana, base58 of 64 bytes as wallets export them. Never log them. */
export type SolnetKeys = { feePayer: string; payTo: string; demo: string }

const makeKey = (): string => {
  const { d = '', x = '' } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' })
  return base58(Buffer.concat([Buffer.from(d, 'base64url'), Buffer.from(x, 'base64url')]))
}

const isKey = (value: unknown): value is string =>
  typeof value === 'string' && fromBase58(value)?.length === 64

/** The address of a secret key: its public half. */
export const toAddress = (key: string): string => {
  const bytes = fromBase58(key)
  if (bytes?.length !== 64)
    throw new ToolError('unavailable', 'A Solana secret key is not base58 of 64 bytes.')
  return base58(bytes.subarray(32))
}

const readKeys = async (file: string): Promise<SolnetKeys | undefined> => {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (text === undefined) return undefined
  const broken = new ToolError(
    'unavailable',
    'solnet.json in the data folder does not hold three secret keys.',
    {
      hint: 'Delete the file; new keys are made, and what the old ones held on a local chain was worth nothing.',
    },
  )
  try {
    const { feePayer, payTo, demo } = JSON.parse(text) as Partial<Record<keyof SolnetKeys, unknown>>
    if (isKey(feePayer) && isKey(payTo) && isKey(demo)) return { feePayer, payTo, demo }
  } catch {
    throw broken
  }
  throw broken
}

/** Keys that are made once per folder, in `solnet.json`, readable by the owner only. Safe against a second process. */
export const openSolnetKeys = async (dir: string): Promise<SolnetKeys> => {
  const file = join(dir, 'solnet.json')
  const storedKeys = await readKeys(file)
  if (storedKeys) {
    await chmod(file, 0o600)
    return storedKeys
  }
  const newKeys: SolnetKeys = { feePayer: makeKey(), payTo: makeKey(), demo: makeKey() }
  await keepOnce(file, newKeys)
  return (await readKeys(file)) ?? newKeys
}
