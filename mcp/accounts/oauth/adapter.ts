import { withClient } from '../../kernel/collection.ts'
import { ToolError } from '../../kernel/error.ts'
import type { Clock } from '../../ports/clock/port.ts'
import type { Ports } from '../../ports/ports.ts'
import type { Json, Store, Tx } from '../../ports/store/port.ts'
import { endGrant } from './connections.ts'
import { type Model, type OauthRow, oauthRowsIn, rowsOfGrant, toRowId } from './row.ts'

type Payload = { [name: string]: unknown }

/** Store interface of oidc-provider, for one model. */
export type Adapter = {
  upsert(id: string, payload: Payload, expiresIn?: number): Promise<void>
  find(id: string): Promise<Payload | undefined>
  findByUid(uid: string): Promise<Payload | undefined>
  findByUserCode(code: string): Promise<undefined>
  consume(id: string): Promise<void>
  destroy(id: string): Promise<void>
  revokeByGrantId(grant: string): Promise<void>
}

type Deps = {
  store: Store
  /** The network address of the request that is answered; undefined for what the program does by itself. */
  visitor(): string | undefined
  clock: Clock
  keys: Ports['keys']
  /** Failures as the provider throws them. */
  refuse: {
    used(): Error
    over(): Error
    tooLarge(): Error
    full(cause: ToolError): Error
  }
}

const daySeconds = 86_400

/** A client that registered and never got a token is forgotten after a day, one that did half a year after its last one. */
const unusedClientSeconds = daySeconds
const usedClientSeconds = 180 * daySeconds

const maxClientBytes = 8192

/** Two windows of one client that use the same code or refresh token: the later one is refused, and the family lives. */
const graceSeconds = 10

const ofGrant: readonly Model[] = ['AuthorizationCode', 'AccessToken', 'RefreshToken']

const text = (value: unknown): string | null => (typeof value === 'string' ? value : null)

/** The secret of a confidential client. It is kept nowhere: the same is made of its id again. */
export const clientSecret = (keys: Ports['keys'], client: string): string =>
  keys.hash(`oauth client secret ${client}`)

/** Returns a payload to store: nothing that lets anybody in. */
const toStored = (model: Model, { jti: _, ...payload }: Payload): Payload => {
  if (model === 'Client') {
    // Clients register with the scopes of the first challenge; kept, those would forbid any other.
    const { scope: _, client_secret: secret, ...rest } = payload
    return { ...rest, ...(secret !== undefined && { has_secret: true }) }
  }
  if (model === 'Interaction' && typeof payload.session === 'object' && payload.session !== null) {
    const { cookie: _, ...session } = payload.session as Payload
    return { ...payload, session }
  }
  return payload
}

/**
 * The store of the authorization server, over ours. A code or a refresh token is used once, whoever comes at the same time; a token is
 * written only while its grant stands; a grant lives as long as the last token that came of it.
 */
export const openAdapter = ({ store, visitor, clock, keys, refuse }: Deps) => {
  const rowId = (model: Model, id: string) => toRowId(keys, model, id)
  const after = (seconds: number) => new Date(clock.now().getTime() + seconds * 1000).toISOString()
  const isOver = ({ expires_at }: OauthRow) => expires_at <= clock.now().toISOString()

  const fromStored = ({ model, payload }: OauthRow, id: string): Payload => {
    if (model !== 'Client') return { ...payload, jti: id }
    const { has_secret, ...rest } = payload
    return { ...rest, ...(has_secret === true && { client_secret: clientSecret(keys, id) }) }
  }

  /** A registered client stays while it is used. Most writes find it far from its end and leave it. */
  const keepClient = async (tx: Tx, client: string): Promise<void> => {
    const rows = oauthRowsIn(tx)
    const row = await rows.get(rowId('Client', client))
    if (!row || row.expires_at > after(usedClientSeconds / 2)) return
    await rows.put({ ...row, expires_at: after(usedClientSeconds) })
  }

  const keepGrant = async (tx: Tx, grant: string, until: string): Promise<void> => {
    const rows = oauthRowsIn(tx)
    const row = await rows.get(rowId('Grant', grant))
    if (!row || isOver(row)) throw refuse.over()
    const expires_at = until > row.expires_at ? until : row.expires_at
    const exp = Math.floor(Date.parse(expires_at) / 1000)
    await rows.put({ ...row, expires_at, payload: { ...row.payload, exp, last_used: after(0) } })
  }

  const write = async (tx: Tx, row: OauthRow): Promise<void> => {
    if (row.grant !== null && ofGrant.includes(row.model)) await keepGrant(tx, row.grant, row.expires_at)
    if (row.client !== null && row.model === 'AccessToken') await keepClient(tx, row.client)
    const before = await oauthRowsIn(tx).get(row.id)
    await oauthRowsIn(tx).put({ ...row, created_at: before?.created_at ?? row.created_at })
  }

  const openModel = (model: Model): Adapter => ({
    async upsert(id, payload, expiresIn) {
      const stored = toStored(model, payload) as { [name: string]: Json }
      const bytes = JSON.stringify(stored).length
      if (model === 'Client' && bytes > maxClientBytes) throw refuse.tooLarge()
      const row: OauthRow = {
        id: rowId(model, id),
        model,
        payload: stored,
        grant: model === 'Grant' ? id : text(payload.grantId),
        account: text(payload.accountId),
        client: text(payload.clientId),
        uid: model === 'Session' ? text(payload.uid) : null,
        created_at: after(0),
        expires_at: after(expiresIn ?? unusedClientSeconds),
      }
      const client = visitor()
      const writer = client === undefined ? store : withClient(store, client)
      try {
        await writer.transaction(tx => write(tx, row))
      } catch (cause) {
        throw cause instanceof ToolError ? refuse.full(cause) : cause
      }
    },

    async find(id) {
      const row = await oauthRowsIn(store).get(rowId(model, id))
      if (!row || isOver(row)) return undefined
      const { consumed } = row.payload
      const age = typeof consumed === 'number' ? clock.now().getTime() / 1000 - consumed : undefined
      // To the provider the second would be a thief, and it would end what the first has just got.
      if (age !== undefined && age < graceSeconds) return undefined
      return fromStored(row, id)
    },

    async findByUid(uid) {
      const { rows } = await oauthRowsIn(store).find({ index: 'uid', where: { uid }, limit: 1 })
      const [row] = rows
      return row && !isOver(row) ? { ...row.payload } : undefined
    },

    findByUserCode: async () => undefined,

    consume: id =>
      store.transaction(async tx => {
        const rows = oauthRowsIn(tx)
        const row = await rows.get(rowId(model, id))
        if (!row || row.payload.consumed !== undefined) throw refuse.used()
        const consumed = Math.floor(clock.now().getTime() / 1000)
        await rows.put({ ...row, payload: { ...row.payload, consumed } })
      }),

    async destroy(id) {
      if (model === 'Grant') return store.transaction(tx => endGrant(tx, keys, id))
      await oauthRowsIn(store).delete(rowId(model, id))
    },

    revokeByGrantId: grant =>
      store.transaction(async tx => {
        for (const row of await rowsOfGrant(tx, grant))
          if (row.model === model) await oauthRowsIn(tx).delete(row.id)
      }),
  })

  return openModel
}
