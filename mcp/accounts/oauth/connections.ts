import type { Clock } from '../../ports/clock/port.ts'
import type { Ports } from '../../ports/ports.ts'
import type { Store, Tx } from '../../ports/store/port.ts'
import type { AccountClients } from '../deps.ts'
import { limitsIn, type SpendingLimits } from '../limits.ts'
import { oauthRowsIn, rowsOfGrant, toRowId } from './row.ts'

/** A client that may act for a person: what the page of the account lists. Its words are a stranger's. */
export type ClientConnection = {
  /** Names it to `disconnect`. */
  grant: string
  client: { id: string; name: string }
  /** Host names of who it is and where its answers go. */
  hosts: readonly string[]
  connected_at: string
  /** When it last took a token. */
  last_used: string
  /** When it must ask again, unless it is used before. */
  ends_at: string
  /** Undefined for one that may spend nothing. */
  limits: SpendingLimits | undefined
}

const maxConnections = 200

const text = (value: unknown): string => (typeof value === 'string' ? value : '')

const readHost = (id: string): string => (URL.canParse(id) ? new URL(id).host : '')

/** The clients of an account, the newest last. */
export const listConnections = async (
  { store, clock }: { store: Store; clock: Clock },
  account: string,
): Promise<ClientConnection[]> => {
  const where = { account, model: 'Grant' }
  const { rows } = await oauthRowsIn(store).find({ index: 'account', where, limit: maxConnections })
  const now = clock.now().toISOString()
  const connections = await Promise.all(
    rows
      .filter(({ expires_at }) => expires_at > now)
      .map(async ({ grant, client, payload, created_at, expires_at }): Promise<ClientConnection> => {
        const id = client ?? ''
        return {
          grant: grant ?? '',
          client: { id, name: text(payload.client_name) || id },
          hosts: [...new Set([readHost(id), text(payload.redirect_host)])].filter(host => host !== ''),
          connected_at: created_at,
          last_used: text(payload.last_used) || created_at,
          ends_at: expires_at,
          limits: await limitsIn(store).get(grant ?? ''),
        }
      }),
  )
  return connections.sort((one, other) => (one.connected_at < other.connected_at ? -1 : 1))
}

/** Ends a grant with every code and token that came of it, and what it could spend. */
export const endGrant = async (tx: Tx, keys: Ports['keys'], grant: string): Promise<void> => {
  for (const { id } of await rowsOfGrant(tx, grant)) await oauthRowsIn(tx).delete(id)
  await oauthRowsIn(tx).delete(toRowId(keys, 'Grant', grant))
  await limitsIn(tx).delete(grant)
}

/** Takes a client's leave away, at once. False where the account has no such client. */
export const disconnect = (
  { store, keys }: { store: Store; keys: Ports['keys'] },
  account: string,
  grant: string,
): Promise<boolean> =>
  store.transaction(async tx => {
    const row = await oauthRowsIn(tx).get(toRowId(keys, 'Grant', grant))
    if (row?.account !== account) return false
    await endGrant(tx, keys, grant)
    return true
  })

/** Takes the leave of all clients of an account away, as for an account that is deleted. */
const disconnectAll = async (deps: { store: Store; keys: Ports['keys'] }, account: string): Promise<void> => {
  for (;;) {
    const { rows } = await oauthRowsIn(deps.store).find({ index: 'account', where: { account }, limit: 100 })
    if (rows.length === 0) return
    await deps.store.transaction(async tx => {
      for (const { id, grant } of rows) {
        if (grant !== null) await endGrant(tx, deps.keys, grant)
        await oauthRowsIn(tx).delete(id)
      }
    })
  }
}

/** The clients of accounts, as the page of an account and its deletion see them. */
export const openClients = (deps: { store: Store; clock: Clock; keys: Ports['keys'] }): AccountClients => ({
  list: async account =>
    (await listConnections(deps, account)).map(({ grant, client, hosts, connected_at, last_used }) => ({
      id: grant,
      name: client.name,
      hosts,
      connected_at,
      last_used,
    })),
  disconnect: (account, id) => disconnect(deps, account, id),
  disconnectAll: account => disconnectAll(deps, account),
})
