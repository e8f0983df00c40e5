import { type Failure, ToolError } from '../../kernel/error.ts'

/** One exported function of a compiled module, and what it is given. */
export type WorkerTask = { module: string; name: string; input: unknown }

type Extra = NonNullable<ConstructorParameters<typeof ToolError>[2]>

/**
 * What a thread says: that it is ready, and its number where the system gives threads one, or how its task ended. A failure
 * for the caller travels as plain data.
 */
export type ThreadMessage =
  | { ready: true; thread: string | undefined }
  | { value: unknown }
  | { failure: { code: Failure; message: string; extra: Omit<Extra, 'cause'> } }
  | { thrown: unknown }

/** Anything thrown, as what can be sent to another thread. */
export const toMessage = (error: unknown): ThreadMessage => {
  if (error instanceof ToolError) {
    const { cause, ...extra } = error.extra
    return { failure: { code: error.code, message: error.message, extra } }
  }
  if (!(error instanceof Error)) return { thrown: new Error(String(error)) }
  const { name, message, stack } = error
  return { thrown: Object.assign(new Error(message), { name, stack }) }
}
