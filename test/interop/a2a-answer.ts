/** What a test says: text, or an object that goes into a data part. */
export type Content = string | Record<string, unknown>

export type Sending = { later?: boolean; contextId?: string; taskId?: string }

/** An answer as a client read it through the types of its SDK; states are spelled as in A2A 0.3. */
export type Answer = {
  kind: 'message' | 'task'
  /** Of the message or the task. */
  id: string
  contextId: string
  role: string
  /** Of a task. */
  state: string
  texts: readonly string[]
  data: readonly unknown[]
}

/** A failure as the SDK of a client made it of an answer. */
export class Refused extends Error {
  readonly code: number | undefined
  /** The class of the SDK's error, where the SDK has one. */
  readonly kind: string | undefined

  constructor(message: string, code: number | undefined, kind?: string) {
    super(message)
    this.code = code
    this.kind = kind
  }
}

/** A client of any version. Every method throws Refused for an answer that is an error. */
export type A2aClient = {
  name(): Promise<string>
  send(contents: readonly Content[], options?: Sending): Promise<Answer>
  /** Streams where the card allows it, else whatever the SDK does then. */
  stream(text: string): Promise<readonly Answer[]>
  /** Streams whatever the card says. */
  forceStream: ((text: string) => Promise<unknown>) | undefined
  get(id: string): Promise<Answer>
  cancel(id: string): Promise<Answer>
  /** Tasks of a context; undefined where the version has no such method. */
  list: ((contextId: string) => Promise<readonly Answer[]>) | undefined
}
