import { readFile, stat } from 'node:fs/promises'
import { ToolError } from '../mcp/kernel/error.ts'
import { type FileVerdict, verifyProofFile } from '../mcp/services/proof/proofs/verify/file.ts'
import { readArguments } from './arguments.ts'

const maxBytes = 1_000_000

const readText = async (file: string): Promise<string> => {
  const size = await stat(file).then(
    ({ size }) => size,
    () => undefined,
  )
  if (size === undefined) throw new ToolError('not_found', `There is no file ${file}.`)
  if (size > maxBytes) throw new ToolError('too_large', `${file} has ${size} bytes: that is no proof.`)
  return readFile(file, 'utf8')
}

const show = ({ valid, refusals, notes, event, payload }: FileVerdict): string =>
  [
    valid ? 'VALID' : 'NOT VALID',
    ...refusals.map(({ message }) => `  ${message}`),
    ...(event && valid
      ? [
          `  schema    ${String(payload?.schema)}`,
          `  artifact  ${String(payload?.artifact_hash)}`,
          `  signed    ${new Date(event.created_at * 1000).toISOString()} by ${event.pubkey}`,
        ]
      : []),
    ...notes.map(note => `  Note: ${note}`),
  ].join('\n')

/** `octagent verify-proof <file>`: whether a proof holds, without a network. 1 where it does not. */
export const verifyProof = async (args: string[]): Promise<number> => {
  const { values, positionals } = readArguments(args, {
    keys: { type: 'string' },
    artifact: { type: 'string' },
    page: { type: 'boolean' },
  })
  if (values.page) {
    const { verifyPage } = await import('../mcp/services/proof/proofs/verify-page.ts')
    console.log(verifyPage)
    return 0
  }
  const [file, ...more] = positionals
  if (file === undefined || more.length > 0)
    throw new ToolError('invalid_input', 'Say which file: octagent verify-proof <file>.', {
      hint: 'It holds an event, or what GET /proof/proofs/{id} answers.',
    })
  const verdict = verifyProofFile(await readText(file), {
    now: Math.floor(Date.now() / 1000),
    keysText: values.keys === undefined ? undefined : await readText(values.keys),
    artifactHash: values.artifact,
  })
  const { valid, refusals, notes, checks, payload } = verdict
  console.log(
    values.json
      ? JSON.stringify({ valid, refusals, notes, checks, payload: payload ?? null }, null, 2)
      : show(verdict),
  )
  return valid ? 0 : 1
}
