import { connect } from 'node:net'
import { ToolError } from '../../../kernel/error.ts'
import { withDeadline } from '../../fetch/deadline.ts'
import type { Guard, HostAddress } from '../../fetch/guard.ts'

export type WhoisSettings = {
  guard: Guard
  /** Rewrites where to dial, after the guard's checks. Only tests set it, to bring public addresses to a local server. */
  connect?: (address: string, port: number) => { address: string; port: number }
  /** Milliseconds for one question. Default 10,000. */
  deadlineMs?: number
}

export type WhoisText = { text: string; truncated: boolean }

const port = 43
const maxBytes = 64 * 1024
const maxAddresses = 2

const sorry = (host: string, sentence: string, cause?: unknown) =>
  new ToolError('upstream', `The WHOIS server ${host} ${sentence}.`, {
    retryable: true,
    hint: 'Retry later; whether it is registered is not known.',
    cause,
  })

/** UTF-8 where it is valid, else Latin-1. */
const decodeResponse = (bytes: Buffer): string => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true })
  } catch {
    return bytes.toString('latin1')
  }
}

/** Sends a line to an address and reads until the other side closes, or 64 KB are there. */
const exchange = (
  place: { address: string; port: number },
  query: string,
  signal: AbortSignal,
): Promise<WhoisText> =>
  new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    const socket = connect({ host: place.address, port: place.port })
    const stop = () => socket.destroy(signal.reason)
    const finish = (truncated: boolean) =>
      resolve({ text: decodeResponse(Buffer.concat(chunks).subarray(0, maxBytes)), truncated })
    signal.addEventListener('abort', stop, { once: true })
    socket.on('data', chunk => {
      chunks.push(chunk)
      size += chunk.length
      if (size < maxBytes) return
      finish(true)
      socket.destroy()
    })
    socket.on('end', () => finish(false))
    socket.on('error', reject)
    socket.on('close', () => {
      signal.removeEventListener('abort', stop)
      reject(new Error('The connection closed without an answer.'))
    })
    socket.write(`${query}\r\n`)
  })

/** A server may be named by a stranger, so whatever is wrong with its name is an outage. */
const resolvePublic = async (guard: Guard, host: string): Promise<HostAddress[]> => {
  try {
    return await guard.addresses({ ...guard.check(`http://${host}/`), port })
  } catch (cause) {
    throw sorry(host, 'has no address on the public internet', cause)
  }
}

/**
 * Asks one WHOIS server (RFC 3912) on port 43 of a public address, pinned to the address that was checked. Throws `upstream`
 * when the host is not public, does not answer in time, or not at all.
 */
export const askWhois = async (
  settings: WhoisSettings,
  host: string,
  query: string,
  signal: AbortSignal | undefined,
): Promise<WhoisText> => {
  const { guard, connect: dial = (address, at) => ({ address, port: at }), deadlineMs = 10_000 } = settings
  const late = () => sorry(host, `did not answer within ${deadlineMs / 1000} seconds`)
  return withDeadline({ ms: deadlineMs, signal, late }, async within => {
    const addresses = await resolvePublic(guard, host)
    // The time may be up already, and a signal that has aborted tells nobody again.
    if (within.aborted) throw within.reason
    const stopping = new Promise<never>((_, reject) =>
      within.addEventListener('abort', () => reject(within.reason), { once: true }),
    )
    stopping.catch(() => {})
    let failure: unknown
    for (const { address } of addresses.slice(0, maxAddresses)) {
      try {
        return await Promise.race([exchange(dial(address, port), query, within), stopping])
      } catch (error) {
        if (within.aborted) throw within.reason
        failure = error
      }
    }
    throw sorry(host, 'broke off the connection', failure)
  })
}
