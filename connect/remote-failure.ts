/** Why a message got no answer that can be passed on, in a sentence for people, with the HTTP status that says the same. */
export class RemoteFailure extends Error {
  override readonly name = 'RemoteFailure'
  readonly status: number

  constructor(status: number, message: string, cause?: unknown) {
    super(message, { cause })
    this.status = status
  }
}

/** One answer that has more bytes than are kept of any. */
export const tooLarge = (maxBytes: number): RemoteFailure =>
  new RemoteFailure(502, `The server's answer has more than ${Math.floor(maxBytes / 1_048_576)} MiB.`)
