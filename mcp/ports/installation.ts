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
export type Installation = { pepper: string; signingKey: string; operator: string }

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

/** The pepper that a data folder has; undefined when it has none yet. Makes nothing. */
export const readPepper = async (folder: string): Promise<string | undefined> =>
  (await readInstallation(secretsFile(folder)))?.pepper

const whole = (stored: Partial<Installation> | undefined): Installation | undefined => {
  const { pepper, signingKey, operator } = stored ?? {}
  return pepper && signingKey && operator ? { pepper, signingKey, operator } : undefined
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
