import type { Turn } from '../scheduler/port.ts'

/** A certificate that a server shows. `raw` and `publicKey` are DER; `keyBits` is of RSA, `curve` of elliptic keys. */
export type PeerCertificate = {
  subject: string | null
  issuer: string | null
  names: string[]
  validFrom: Date
  validTo: Date
  serialNumber: string
  fingerprint256: string
  keyType: string
  keyBits: number | null
  curve: string | null
  raw: Buffer
  publicKey: Buffer
}

/** Terms a server agreed on. `problem` is why its certificate is not good for its name, a code of Node or OpenSSL. */
export type TlsAnswer =
  | { offered: false; address: string }
  | {
      offered: true
      address: string
      protocol: string
      cipher: string
      problem: string | null
      certificate: PeerCertificate
      /** The certificates above it, as far as they are known. */
      chain: PeerCertificate[]
    }

/** Looks at the TLS of servers that strangers name: public addresses only, bounded in size and time. */
export type Tls = {
  /**
   * Connects, on port 25 by STARTTLS, and says what is agreed on; nothing is refused for being weak. Throws `upstream` when
   * the server cannot be reached or asked: then nobody knows.
   */
  inspect(host: string, port: 25 | 443 | 8443, options?: { signal?: AbortSignal }): Promise<TlsAnswer>
  /** True when browsers know a host, or the domain above it, as https only. */
  preload(host: string, options?: { signal?: AbortSignal }): Promise<PreloadStatus>
  /** The same on behalf of one call, in whose name requests are sent. */
  forCall?(turn: Partial<Turn>): Tls
}

/** On the HSTS preload list of browsers, on its way there, or neither; null when nobody answers. */
export type PreloadStatus = 'preloaded' | 'pending' | 'not_listed' | null
