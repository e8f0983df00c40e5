import { type Problem, ToolError } from '../mcp/kernel/error.ts'
import { scrub } from '../mcp/kernel/log.ts'
import { StoreFailure } from '../store/index.ts'

const causes = (error: unknown): unknown[] => {
  const chain: unknown[] = []
  for (let next = error; next !== undefined && chain.length < 10; next = (next as { cause?: unknown })?.cause)
    chain.push(next)
  return chain
}

/** A failure of a node or a contract as the chain library tells it: in a sentence, before the whole request. */
const isChainError = (error: unknown): error is Error & { shortMessage: string } =>
  error instanceof Error && 'shortMessage' in error && typeof error.shortMessage === 'string'

const isSystemError = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' && 'syscall' in error

const refusal = (detail: string, hint: string) => new ToolError('unavailable', detail, { hint })

/** Explains an operating system's refusal, with what to do. */
const systemRefusal = ({ code, path = 'a file', message }: NodeJS.ErrnoException): ToolError | undefined => {
  switch (code) {
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return refusal(
        `${path} cannot be written by this user.`,
        'Change its owner, or set OCTAGENT_DATA to another folder.',
      )
    case 'ENOSPC':
    case 'EDQUOT':
      return refusal(
        `The disk of ${path} is full.`,
        'Make room, or set OCTAGENT_DATA to a folder on another disk.',
      )
    case 'ENOTDIR':
    case 'EEXIST':
      return refusal(`${path} is not a folder.`, 'Set OCTAGENT_DATA to one.')
    case 'EMFILE':
    case 'ENFILE':
      return refusal('Too many files are open.', 'Raise the limit: ulimit -n 65536.')
    case 'ENOTFOUND':
    case 'ECONNREFUSED':
    case 'ECONNRESET':
    case 'ETIMEDOUT':
      return refusal(`The other side does not answer (${message}).`, 'Check the address, and that it runs.')
    default:
      return undefined
  }
}

/** Any failure as one that a person can read; undefined for a fault of the program itself. */
const toReadable = (error: unknown): ToolError | undefined => {
  if (error instanceof ToolError) return error
  const system = causes(error).find(isSystemError)
  const refused = system && systemRefusal(system)
  if (refused) return refused
  const chainError = causes(error).findLast(isChainError)
  if (chainError)
    return new ToolError('upstream', scrub(chainError.shortMessage.replaceAll('\n', ' ')), {
      hint: 'The node or the contract refused it. octagent doctor looks at both.',
    })
  if (error instanceof StoreFailure) return new ToolError('unavailable', scrub(error.message))
  return undefined
}

/** A failure in sentences; of a fault of the program itself, where it happened. */
export const explain = (error: unknown): string => {
  const readable = toReadable(error)
  if (!readable) return error instanceof Error ? scrub(error.stack ?? error.message) : String(error)
  return [readable.message, readable.extra.hint].filter(Boolean).join('\n')
}

/** The same as JSON, for `--json`. */
export const toProblem = (error: unknown): Problem =>
  (toReadable(error) ?? new ToolError('internal', explain(error).split('\n', 1)[0] ?? '')).toProblem()
