import { X509Certificate } from 'node:crypto'
import { connect as connectTcp, isIP, type Socket } from 'node:net'
import {
  type ConnectionOptions,
  connect as connectTls,
  type DetailedPeerCertificate,
  rootCertificates,
  type TLSSocket,
} from 'node:tls'
import { ToolError } from '../../kernel/error.ts'
import { openBudget } from '../fetch/budget.ts'
import { withDeadline } from '../fetch/deadline.ts'
import { type HostAddress, openGuard } from '../fetch/guard.ts'
import type { Fetch } from '../fetch/port.ts'
import type { PeerCertificate, Tls, TlsAnswer } from './port.ts'
import { askPreload } from './preload.ts'
import { startTls } from './smtp.ts'

export type TlsSettings = {
  resolve: (host: string) => Promise<HostAddress[]>
  fetch: Fetch
  /** URL of the preload list; the name of a domain is put at its end. */
  preloadUrl: string
  /** `off`: no mail server is asked. Default: on. */
  smtp?: 'on' | 'off'
  /** The name that mail servers are greeted with. */
  helo?: string
  /** Rewrites where to dial, after the guard's checks. Only tests set it, to bring public addresses to a local server. */
  connect?: (address: string, port: number) => { address: string; port: number }
  /** Certificate authorities trusted besides those of Node, as PEM. */
  ca?: readonly string[]
  /** Milliseconds for one connection, until everything is known. Default 5,000. */
  deadlineMs?: number
  /** The time in milliseconds. Only tests set it. */
  now?: () => number
}

const smtpPort = 25
const maxChain = 8
const maxAddresses = 2

/** Connections a minute to one address, of all callers together. */
const limits = { host: 60, domain: 120, address: 30 }

/** Before one mail server was reached: after so many that were not, port 25 counts as blocked for a while. */
const maxSilent = 4
const blockedMs = 10 * 60_000

const unreachable = (host: string, port: number, why: string, cause?: unknown) =>
  new ToolError('upstream', `${host} could not be asked for TLS on port ${port}: ${why}.`, {
    retryable: true,
    cause,
  })

const certificateChain = (socket: TLSSocket): Buffer[] => {
  const chain: Buffer[] = []
  let at: DetailedPeerCertificate | undefined = socket.getPeerCertificate(true)
  while (at?.raw && chain.length < maxChain && !chain.some(raw => raw.equals(at?.raw ?? Buffer.of()))) {
    chain.push(at.raw)
    at = at.issuerCertificate
  }
  return chain
}

const nameIn = (subject: string, key: string): string | null =>
  new RegExp(`^${key}=(.+)$`, 'm').exec(subject)?.[1] ?? null

const toCertificate = (raw: Buffer): PeerCertificate => {
  const certificate = new X509Certificate(raw)
  const { publicKey } = certificate
  const { modulusLength, namedCurve } = publicKey.asymmetricKeyDetails ?? {}
  return {
    subject: nameIn(certificate.subject ?? '', 'CN'),
    issuer: nameIn(certificate.issuer ?? '', 'O') ?? nameIn(certificate.issuer ?? '', 'CN'),
    names: (certificate.subjectAltName ?? '')
      .split(/,\s*/)
      .flatMap(name => /^(?:DNS|IP Address):(.+)$/.exec(name)?.[1] ?? []),
    validFrom: new Date(certificate.validFrom),
    validTo: new Date(certificate.validTo),
    serialNumber: certificate.serialNumber,
    fingerprint256: certificate.fingerprint256,
    keyType: publicKey.asymmetricKeyType ?? 'unknown',
    keyBits: modulusLength ?? null,
    curve: namedCurve ?? null,
    raw,
    publicKey: publicKey.export({ type: 'spki', format: 'der' }),
  }
}

/** Fault of the certificate, as a code of Node or OpenSSL; null when it is good for the name. */
const verification = ({ authorized, authorizationError }: TLSSocket): string | null => {
  if (authorized) return null
  const error: unknown = authorizationError
  if (error instanceof Error && 'code' in error) return String(error.code)
  return typeof error === 'string' ? error : 'UNKNOWN'
}

/** Opens the port that looks at the TLS of servers: public addresses only, pinned to the checked address, bounded in time. */
export const openTls = (settings: TlsSettings): Tls => {
  const { connect = (address, port) => ({ address, port }), deadlineMs = 5000, helo = 'localhost' } = settings
  const now = settings.now ?? Date.now
  const guard = openGuard(settings)
  const budget = openBudget(limits, now)
  let [hasReached, silent, blockedUntil] = [false, 0, 0]

  const dial = (address: string, port: number, signal: AbortSignal): Promise<Socket> =>
    new Promise((resolve, reject) => {
      const place = connect(address, port)
      const socket = connectTcp({ host: place.address, port: place.port })
      // A socket without a listener for its errors could end the process.
      socket.on('error', reject)
      signal.addEventListener('abort', () => socket.destroy(), { once: true })
      socket.once('close', () => reject(new Error('The connection was closed.')))
      socket.once('connect', () => resolve(socket))
    })

  const secure = (socket: Socket, host: string): Promise<TLSSocket> =>
    new Promise((resolve, reject) => {
      const options: ConnectionOptions = {
        socket,
        ...(isIP(host) === 0 && { servername: host }),
        // What is weak or not trusted is looked at and told, not refused.
        rejectUnauthorized: false,
        minVersion: 'TLSv1',
        ciphers: 'DEFAULT@SECLEVEL=0',
        ...(settings.ca && { ca: [...rootCertificates, ...settings.ca] }),
      }
      const tls = connectTls(options)
      tls.on('error', reject)
      tls.once('close', () => reject(new Error('The connection was closed.')))
      tls.once('secureConnect', () => resolve(tls))
    })

  const look = async (
    host: string,
    port: number,
    address: string,
    signal: AbortSignal,
  ): Promise<TlsAnswer> => {
    const socket = await dial(address, port, signal)
    try {
      if (port === smtpPort) {
        hasReached = true
        if (!(await startTls(socket, helo))) return { offered: false, address }
      }
      const tls = await secure(socket, host)
      const [leaf, ...others] = certificateChain(tls).map(toCertificate)
      if (!leaf) throw new Error('The server shows no certificate.')
      const problem = verification(tls)
      const { name: cipher } = tls.getCipher()
      const answer = { offered: true as const, protocol: tls.getProtocol() ?? 'unknown', cipher, problem }
      tls.end()
      return { ...answer, certificate: leaf, chain: others, address }
    } finally {
      // A moment for the farewell; whatever is open then is closed.
      setTimeout(() => socket.destroy(), 500).unref()
    }
  }

  const checkAddresses = async (host: string, port: number): Promise<HostAddress[]> => {
    const literal = isIP(host) === 6 ? `[${host}]` : host
    try {
      return await guard.addresses({ ...guard.check(`https://${literal}/`), port })
    } catch (cause) {
      throw unreachable(host, port, 'it has no address on the public internet', cause)
    }
  }

  const inspect: Tls['inspect'] = async (host, port, { signal } = {}) => {
    const isSmtp = port === smtpPort
    if (isSmtp && (settings.smtp === 'off' || now() < blockedUntil))
      throw unreachable(
        host,
        port,
        settings.smtp === 'off' ? 'that is turned off here' : 'the port is blocked here',
      )
    const late = () => unreachable(host, port, `it took more than ${deadlineMs / 1000} seconds`)
    return withDeadline({ ms: deadlineMs, signal, late }, async within => {
      const addresses = (await checkAddresses(host, port)).slice(0, maxAddresses)
      budget.connection(
        host,
        addresses.map(({ address }) => address),
      )
      const stopping = new Promise<never>((_, reject) =>
        within.addEventListener('abort', () => reject(within.reason), { once: true }),
      )
      stopping.catch(() => {})
      let failure: unknown
      for (const { address } of addresses) {
        try {
          if (isSmtp) silent++
          return await Promise.race([look(host, port, address, within), stopping])
        } catch (error) {
          if (isSmtp && !hasReached && silent >= maxSilent) [silent, blockedUntil] = [0, now() + blockedMs]
          if (within.aborted) throw within.reason
          failure = error
        }
      }
      throw unreachable(host, port, 'the connection failed', failure)
    })
  }

  const openWith = (fetch: Fetch): Tls => ({
    inspect,
    preload: (host, { signal } = {}) => askPreload(host, { fetch, url: settings.preloadUrl, signal }),
    forCall: turn => openWith(fetch.forCall?.(turn) ?? fetch),
  })
  return openWith(settings.fetch)
}
