import '../own-dispatcher.ts'
import { rootCertificates } from 'node:tls'
import { buildConnector } from 'undici'
import type { TargetBudget } from './budget.ts'
import type { Guard, HostAddress } from './guard.ts'

export type ConnectorSettings = {
  guard: Guard
  /** Absent where connections are not counted. */
  budget?: TargetBudget | undefined
  /** Rewrites where to dial, after the guard's checks. Only tests set it, to bring public addresses to a local server. */
  connect?: (address: string, port: number) => { address: string; port: number }
  connectMs: number
  /** Certificate authorities trusted besides those of Node, as PEM. */
  ca?: readonly string[]
}

type Lookup = (
  host: string,
  options: { all?: boolean },
  callback: (cause: Error | null, address: string | HostAddress[], family?: number) => void,
) => void

/**
 * Hands the socket exactly the addresses that were checked: there is no second look-up to answer differently. It answers a
 * moment later, as a look-up does: a connect that fails at once inside of `tls.connect` meets a socket that nobody listens
 * to yet, and its error would end the process.
 */
const pinnedLookup =
  (addresses: [HostAddress, ...HostAddress[]]): Lookup =>
  (_host, { all }, callback) =>
    process.nextTick(() =>
      all ? callback(null, addresses) : callback(null, addresses[0].address, addresses[0].family),
    )

const maxAddresses = 8

const checkedAddresses = new WeakMap<object, string>()

/** The checked address that a socket is connected to. */
export const checkedAddress = (socket: object): string | null => checkedAddresses.get(socket) ?? null

const addressFamily = (address: string) => (address.includes(':') ? 6 : 4)

/** A connector for undici that resolves, checks and dials in one go. The callback gets the guard's ToolError. */
export const openConnector = (settings: ConnectorSettings): buildConnector.connector => {
  const { guard, budget, connect = (address, port) => ({ address, port }), connectMs } = settings
  const trust = settings.ca && { ca: [...rootCertificates, ...settings.ca] }

  const open = async (options: buildConnector.Options, callback: buildConnector.Callback) => {
    const target = guard.check(`${options.protocol}//${options.host ?? options.hostname}`)
    const checked = await guard.addresses(target)
    const dialled = checked.slice(0, maxAddresses).map(({ address }) => address)
    budget?.connection(target.host, dialled)
    const places = dialled.map(address => connect(address, target.port))
    const [first, ...others] = places.map(
      ({ address }): HostAddress => ({ address, family: addressFamily(address) }),
    )
    if (!first) throw new Error('a guard gave no address')
    const dial = buildConnector({
      timeout: connectMs,
      autoSelectFamily: true,
      autoSelectFamilyAttemptTimeout: 600,
      lookup: pinnedLookup([first, ...others]) as never,
      ...trust,
    })
    const port = String(places[0]?.port)
    dial({ ...options, port, ...(target.literal && { hostname: first.address }) }, (...results) => {
      const [, socket] = results
      const nth = places.findIndex(({ address }) => address === socket?.remoteAddress)
      const address = checked[nth]?.address ?? socket?.remoteAddress
      if (socket && address) checkedAddresses.set(socket, address)
      callback(...results)
    })
  }

  return (options, callback) => {
    open(options, callback).catch(cause => callback(cause, null))
  }
}
