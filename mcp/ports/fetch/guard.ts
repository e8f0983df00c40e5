import { isIP } from 'node:net'
import { ToolError } from '../../kernel/error.ts'
import { isPublic } from './address.ts'
import { parseTarget, refuse, type Target } from './target.ts'

export type HostAddress = { address: string; family: 4 | 6 }

export type GuardSettings = {
  /** The addresses of a host name; empty when it has none. */
  resolve: (host: string) => Promise<HostAddress[]>
  /** Opens the guard for exactly this address and port. Only tests set it, for servers of their own. */
  allow?: (address: string, port: number) => boolean
}

/** Decides where a request may go. */
export type Guard = {
  /** Reads a URL by every rule that needs no look-up. Throws `invalid_input`. */
  check(url: string): Target
  /** The addresses to dial for a target, all of them checked. Throws `invalid_input`, or `upstream` when there is none. */
  addresses(target: Target): Promise<HostAddress[]>
}

const noAddress = (host: string) =>
  new ToolError('upstream', `The host ${host} has no address in the DNS.`, {
    retryable: false,
    reason: 'no_address',
    hint: 'Check the spelling of the host name.',
  })

const literalAddress = (host: string): HostAddress => ({ address: host, family: isIP(host) === 6 ? 6 : 4 })

/** A guard over a resolver. One bad address among several refuses the host: a rebinding server answers with both. */
export const openGuard = ({ resolve, allow }: GuardSettings): Guard => ({
  check(url) {
    const target = parseTarget(url)
    const isAllowed = target.literal ? allow?.(target.host, target.port) : allow !== undefined
    if (target.closed !== undefined && !isAllowed) throw refuse(target.closed)
    return target
  },

  async addresses({ host, port, literal, closed }) {
    const addresses = literal ? [literalAddress(host)] : await resolve(host)
    if (addresses.length === 0) throw noAddress(host)
    const isOpen = ({ address }: HostAddress) =>
      (closed === undefined && isPublic(address)) || allow?.(address, port)
    if (addresses.every(isOpen)) return addresses
    throw refuse(closed ?? `${host} leads to an address that is not on the public internet`)
  },
})
