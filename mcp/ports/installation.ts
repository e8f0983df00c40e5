import { randomBytes } from 'node:crypto'
import { mkdir, open, readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { makeSigningKey } from './sign.ts'

/**
 * The secrets of one installation: the pepper of caller keys, the private key that signs cards (PKCS8 PEM or JWK), and
 * the token by which the command line speaks to the server that runs here.
 */
export type Installation = { pepper: string; signingKey: string; operator: string }

const write = async (folder: string, text: string): Promise<void> => {
  const file = join(folder, 'keys.json')
  const handle = await open(`${file}.tmp`, 'w', 0o600)
  try {
    await handle.write(text)
    await handle.sync()
  } finally {
    await handle.close()
  }
  await rename(`${file}.tmp`, file)
}

/**
 * Reads the secrets of a data folder, and makes the ones that are not there. They are written once, readable by their
 * owner only; losing the file makes every key that callers hold worthless.
 */
export const openInstallation = async (folder: string): Promise<Installation> => {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const text = await readFile(join(folder, 'keys.json'), 'utf8').catch((thrown: NodeJS.ErrnoException) => {
    if (thrown.code === 'ENOENT') return '{}'
    throw thrown
  })
  const kept = JSON.parse(text) as Partial<Installation>
  if (kept.pepper && kept.signingKey && kept.operator)
    return { pepper: kept.pepper, signingKey: kept.signingKey, operator: kept.operator }
  const made = {
    pepper: kept.pepper ?? randomBytes(32).toString('base64url'),
    signingKey: kept.signingKey ?? makeSigningKey(),
    operator: kept.operator ?? randomBytes(32).toString('base64url'),
  }
  await write(folder, `${JSON.stringify(made, null, 2)}\n`)
  return made
}
