import { ToolError } from '../kernel/error.ts'

/**
 * The boundary around libraries that read what strangers send: whatever they throw at bytes that nobody foresaw is no fault of ours, but
 * content that could not be read. The cause goes to the log.
 */
export const unreadable = (what: string, cause: unknown): ToolError =>
  cause instanceof ToolError
    ? cause
    : new ToolError('upstream', `${what} could not be read.`, {
        cause,
        reason: 'unreadable',
        retryable: false,
        hint: 'It is broken in a way that no reader here knows. Nothing was charged.',
      })

/** Tries a library on a stranger's bytes; undefined where it throws. For readers that know another way. */
export const attempt = <T>(read: () => T): T | undefined => {
  try {
    return read()
  } catch {
    return undefined
  }
}
