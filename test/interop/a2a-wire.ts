export type Fields = Record<string, unknown>

/** One JSON-RPC exchange as it went over the wire. */
export type Exchange = {
  url: string
  /** The `A2A-Version` header of the request, and that of the answer. */
  requestVersion: string | null
  responseVersion: string | null
  method: string
  reply: { result?: Fields; error?: { code: number; message: string; data?: unknown } }
}

/** What clients say to `url` and hear from it; stock clients call the global `fetch`, so that one is listened to. */
export const listenIn = (url: () => string) => {
  const exchanges: Exchange[] = []
  const stock = globalThis.fetch
  globalThis.fetch = async (input, init) => {
    const response = await stock(input, init)
    const target = input instanceof Request ? input.url : String(input)
    if (!target.startsWith(url()) || typeof init?.body !== 'string') return response
    exchanges.push({
      url: target,
      requestVersion: new Headers(init.headers).get('a2a-version'),
      responseVersion: response.headers.get('a2a-version'),
      method: JSON.parse(init.body).method,
      reply: JSON.parse(await response.clone().text()),
    })
    return response
  }
  return {
    /** The last exchange. Throws an Error when there was none since the last call. */
    last(): Exchange {
      const last = exchanges.at(-1)
      exchanges.length = 0
      if (!last) throw new Error('nothing was sent')
      return last
    },
    stop() {
      globalThis.fetch = stock
    },
  }
}

export type Wire = ReturnType<typeof listenIn>
