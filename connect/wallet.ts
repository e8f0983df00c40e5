import { randomBytes } from 'node:crypto'
import { chmod, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { PrivateKeyAccount } from 'viem/accounts'
import { ToolError } from '../mcp/kernel/error.ts'
import { parseRecord } from '../mcp/lib/json.ts'
import { keepOnce } from '../mcp/ports/write-file.ts'

type Key = `0x${string}`

/** A wallet that signs. Its key is in the closure of `account` alone. */
export type SigningWallet = { address: Key; account: PrivateKeyAccount }

const isKey = (value: unknown): value is Key => typeof value === 'string' && /^0x[0-9a-f]{64}$/i.test(value)

const keyIn = async (file: string, field: string): Promise<Key | undefined> => {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined
    throw error
  })
  if (text === undefined) return undefined
  const key = parseRecord(text)?.[field]
  if (isKey(key)) return key
  throw new ToolError('unavailable', `${file} holds no key of a wallet.`, {
    hint: 'It was not touched. Put a copy of it back, or move it away to have a new wallet made.',
  })
}

const toWallet = async (key: Key): Promise<SigningWallet> => {
  const { privateKeyToAccount } = await import('viem/accounts')
  try {
    const account = privateKeyToAccount(key)
    return { address: account.address, account }
  } catch {
    // What viem throws may hold the key.
    throw new ToolError('unavailable', 'The key of the wallet is no private key of this curve.')
  }
}

export const walletFile = (folder: string): string => join(folder, 'wallet.json')

/** The key of the environment. Throws ToolError that names the variable, never its text. */
const keyFrom = (text: string): Key => {
  const key = text.startsWith('0x') ? text : `0x${text}`
  if (isKey(key)) return key
  throw new ToolError(
    'invalid_input',
    'OCTAGENT_WALLET_KEY: must be 32 bytes as hex, such as 0x followed by 64 digits.',
  )
}

/**
 * The wallet that pays on real networks: `OCTAGENT_WALLET_KEY`, else the one in the folder, which is made on first use, readable by its
 * owner only.
 */
export const openSigningWallet = async (folder: string, environmentKey?: string): Promise<SigningWallet> => {
  if (environmentKey !== undefined) return toWallet(keyFrom(environmentKey))
  const file = walletFile(folder)
  const key = await keyIn(file, 'key')
  if (key !== undefined) {
    if (((await stat(file)).mode & 0o077) !== 0) await chmod(file, 0o600)
    return toWallet(key)
  }
  await keepOnce(file, { key: `0x${randomBytes(32).toString('hex')}` })
  return toWallet((await keyIn(file, 'key')) as Key)
}

/** The demo wallet of local chains, whose key is in the data folder of the server that runs them; undefined where none of the folders is one. */
export const findDemoWallet = async (folders: readonly string[]): Promise<SigningWallet | undefined> => {
  for (const folder of folders) {
    const key = await keyIn(join(folder, 'devnet.json'), 'demo')
    if (key !== undefined) return toWallet(key)
  }
  return undefined
}
