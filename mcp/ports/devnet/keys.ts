import { randomBytes } from 'node:crypto'
import { chmod, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ToolError } from '../../kernel/error.ts'
import { keepOnce } from '../write-file.ts'

type Key = `0x${string}`

/** Private keys of one data folder's local chains. `payTo` takes the money, `facilitator` pays the gas. */
export type DevnetKeys = { facilitator: Key; payTo: Key; demo: Key }

// An authorization signed for a local chain is good on the real one too, since chain id and token are the same. With a
// published test key as the recipient, anybody could collect it there.
const makeKey = (): Key => `0x${randomBytes(32).toString('hex')}`

const isKey = (value: unknown): value is Key => typeof value === 'string' && /^0x[0-9a-f]{64}$/.test(value)

const readKeys = async (file: string): Promise<DevnetKeys | undefined> => {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (text === undefined) return undefined
  const { facilitator, payTo, demo } = JSON.parse(text) as Partial<Record<keyof DevnetKeys, unknown>>
  if (isKey(facilitator) && isKey(payTo) && isKey(demo)) return { facilitator, payTo, demo }
  throw new ToolError('unavailable', 'devnet.json in the data folder does not hold three private keys.', {
    hint: 'Delete the file; new keys are made, and what the old ones held on local chains was worth nothing.',
  })
}

/** Keys that are made once per folder, in `devnet.json`, readable by the owner only. Safe against a second process. */
export const openDevnetKeys = async (dir: string): Promise<DevnetKeys> => {
  const file = join(dir, 'devnet.json')
  const storedKeys = await readKeys(file)
  if (storedKeys) {
    await chmod(file, 0o600)
    return storedKeys
  }
  const newKeys: DevnetKeys = { facilitator: makeKey(), payTo: makeKey(), demo: makeKey() }
  await keepOnce(file, newKeys)
  return (await readKeys(file)) ?? newKeys
}
