import { readFile, stat } from 'node:fs/promises'
import { ToolError } from '../mcp/kernel/error.ts'
import { type JsonRecord, parseRecord } from '../mcp/lib/json.ts'
import { type HistoryVerdict, verifyHistoryFile } from '../mcp/services/tasks/history.ts'
import { readArguments } from './arguments.ts'

const maxBytes = 5_000_000

const readObject = async (file: string, what: string): Promise<JsonRecord> => {
  const size = await stat(file).then(
    ({ size }) => size,
    () => undefined,
  )
  if (size === undefined) throw new ToolError('not_found', `There is no file ${file}.`)
  if (size > maxBytes) throw new ToolError('too_large', `${file} has ${size} bytes: that is not ${what}.`)
  const object = parseRecord(await readFile(file, 'utf8'))
  if (object) return object
  throw new ToolError('invalid_input', `${file} is not ${what}.`)
}

const readKeys = async (file: string): Promise<readonly unknown[]> => {
  const { keys } = await readObject(file, 'a set of keys')
  if (Array.isArray(keys)) return keys
  throw new ToolError('invalid_input', `${file} is not a set of keys.`, {
    hint: 'It is what /.well-known/jwks.json answers.',
  })
}

const maxShown = 20

const show = ({ valid, signed, faults, task_id, entries, status, at }: HistoryVerdict): string =>
  [
    valid ? 'WHOLE' : 'NOT WHOLE',
    ...faults.slice(0, maxShown).map(fault => `  ${fault}`),
    ...(faults.length > maxShown ? [`  … and ${faults.length - maxShown} more; --json lists them.`] : []),
    ...(valid ? [`  ${task_id}: ${entries} entries, ${status} at ${at}`] : []),
    ...(valid && signed ? ['  Signed by the house.'] : []),
    ...(valid && signed === null ? ['  Note: who signed it was not checked; --keys does.'] : []),
  ].join('\n')

/** `octagent verify-history <file>`: whether the downloaded history of a task is whole, without a network. 1 where it is not. */
export const verifyHistory = async (args: string[]): Promise<number> => {
  const { values, positionals } = readArguments(args, { keys: { type: 'string' } })
  const [file, ...more] = positionals
  if (file === undefined || more.length > 0)
    throw new ToolError('invalid_input', 'Say which file: octagent verify-history <file>.', {
      hint: 'It holds what GET /tasks/api/v1/tasks/{task_id}/history answers.',
    })
  const document = await readObject(file, 'a history that get_history answered')
  const keys = values.keys === undefined ? undefined : await readKeys(values.keys)
  const verdict = await verifyHistoryFile(document, keys)
  if (!verdict) throw new ToolError('invalid_input', `${file} is not a history that get_history answered.`)
  console.log(values.json ? JSON.stringify(verdict, null, 2) : show(verdict))
  return verdict.valid ? 0 : 1
}
