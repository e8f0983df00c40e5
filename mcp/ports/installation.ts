import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ToolError } from '../kernel/error.ts'
import { makeSigningKey } from './sign/sign.ts'
import { keepAnew, keepOnce } from './write-file.ts'

/**
 * The secrets of one installation: the pepper of caller keys, the private key that signs cards (PKCS8 PEM or JWK), and
 * the token by which the command line speaks to the server that runs here.
 */
export type Installation = {
  pepper: string
  signingKey: string
  operator: string
  /** What was replaced last, while it is still read. */
  previousPepper?: string | undefined
  previousSigningKey?: string | undefined
}

const readInstallation = async (file: string): Promise<Partial<Installation> | undefined> => {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (text === undefined) return undefined
  try {
    return text.trim() === '' ? {} : (JSON.parse(text) as Partial<Installation>)
  } catch (cause) {
    throw new ToolError('unavailable', `${file} is not JSON: it is damaged.`, {
      hint: 'Restore it from a backup: without it, keys that callers hold are worthless.',
      cause,
    })
  }
}

/** Path of the secrets of a data folder. */
export const secretsFile = (folder: string): string => join(folder, 'keys.json')

/** What a data folder has of its secrets. Makes nothing. */
export const readSecrets = async (folder: string): Promise<Partial<Installation>> =>
  (await readInstallation(secretsFile(folder))) ?? {}

const whole = (stored: Partial<Installation> | undefined): Installation | undefined => {
  const { pepper, signingKey, operator } = stored ?? {}
  return pepper && signingKey && operator ? { ...stored, pepper, signingKey, operator } : undefined
}

const make = (): Installation => ({
  pepper: randomBytes(32).toString('base64url'),
  signingKey: makeSigningKey(),
  operator: randomBytes(32).toString('base64url'),
})

/**
 * Reads the secrets of a data folder, and makes the ones that are not there. They are written once, readable by their
 * owner only; losing the file makes every key that callers hold worthless.
 */
export const openInstallation = async (folder: string): Promise<Installation> => {
  const file = secretsFile(folder)
  const stored = await readInstallation(file)
  const there = whole(stored)
  if (there) return there
  const installation = { ...make(), ...stored }
  await (stored ? keepAnew : keepOnce)(file, installation)
  return whole(await readInstallation(file)) ?? installation
}

/** Secrets that are rotated with the one before still read for a time. */
export type Rotated = 'pepper' | 'signingKey'

const previousOf = { pepper: 'previousPepper', signingKey: 'previousSigningKey' } as const

/**
 * Replaces a secret of a data folder and keeps the one before. Throws `conflict` where the last rotation of it is not ended, `not_found`
 * where the folder has no secrets.
 */
export const rotateSecret = async (folder: string, name: Rotated): Promise<void> => {
  const file = secretsFile(folder)
  const stored = whole(await readInstallation(file))
  if (!stored)
    throw new ToolError('not_found', `${file} holds no secrets.`, { hint: 'Start the server once.' })
  const previous = previousOf[name]
  if (stored[previous] !== undefined)
    throw new ToolError('conflict', 'The last rotation is not ended: two secrets are read already.', {
      hint: 'End it with --end first.',
    })
  await keepAnew(file, { ...stored, [previous]: stored[name], [name]: make()[name] })
}

/** Ends a rotation: the secret before is read no more. False where none was under way. */
export const endRotation = async (folder: string, name: Rotated): Promise<boolean> => {
  const file = secretsFile(folder)
  const { [previousOf[name]]: before, ...rest } = (await readInstallation(file)) ?? {}
  if (before === undefined) return false
  await keepAnew(file, rest)
  return true
}
