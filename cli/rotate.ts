import { readConfig } from '../app/config.ts'
import { ToolError } from '../mcp/kernel/error.ts'
import { endRotation, type Rotated, rotateSecret, secretsFile } from '../mcp/ports/installation.ts'
import { readArguments } from './arguments.ts'

const secrets: Record<string, { name: Rotated; variable: string }> = {
  pepper: { name: 'pepper', variable: 'OCTAGENT_PEPPER' },
  'signing-key': { name: 'signingKey', variable: 'OCTAGENT_SIGNING_KEY' },
}

/**
 * `octagent rotate pepper|signing-key [--end]`: a new secret in the data folder; the one before is read until `--end`. The server reads
 * both at its next start. A secret from the environment is rotated there.
 */
export const rotate = async (args: string[]): Promise<number> => {
  const { values, positionals } = readArguments(args, { end: { type: 'boolean' } })
  const secret = secrets[positionals[0] ?? '']
  if (!secret || positionals.length > 1)
    throw new ToolError(
      'invalid_input',
      'Say what to rotate: octagent rotate pepper, or octagent rotate signing-key.',
    )
  const { name, variable } = secret
  const config = readConfig(process.env)
  if (process.env[variable])
    throw new ToolError(
      'conflict',
      `${variable} is set, so ${secretsFile(config.OCTAGENT_DATA)} does not hold it.`,
      {
        hint: `Set ${variable}_PREVIOUS to what ${variable} is now, ${variable} to a new one, and start again.`,
      },
    )
  const isEnded = values.end && (await endRotation(config.OCTAGENT_DATA, name))
  if (!values.end) await rotateSecret(config.OCTAGENT_DATA, name)
  const state = !values.end ? 'rotated' : isEnded ? 'ended' : 'none'
  if (values.json) console.log(JSON.stringify({ secret: positionals[0], state }))
  else
    console.log(
      {
        rotated: `A new ${positionals[0]} is in ${secretsFile(config.OCTAGENT_DATA)}; start the server again. The one before is read until: octagent rotate ${positionals[0]} --end`,
        ended: `Only the new ${positionals[0]} is read from the next start on.`,
        none: `No rotation of the ${positionals[0]} is under way.`,
      }[state],
    )
  return 0
}
