import { collection } from '../../kernel/collection.ts'
import type { Ports } from '../../ports/ports.ts'
import type { Json, Tx } from '../../ports/store/port.ts'

/** Records of the authorization server; the names are those of oidc-provider. */
export type Model =
  | 'Client'
  | 'Session'
  | 'Interaction'
  | 'Grant'
  | 'AuthorizationCode'
  | 'AccessToken'
  | 'RefreshToken'
  | 'ReplayDetection'

/**
 * One thing of the authorization server. Its id is a hash: whoever reads the store holds no token, code or cookie. `grant`, `account`,
 * `client` and `uid` are null where the thing has none.
 */
export type OauthRow = {
  id: string
  model: Model
  /** Without the token itself. */
  payload: { [name: string]: Json }
  grant: string | null
  account: string | null
  client: string | null
  uid: string | null
  created_at: string
  expires_at: string
}

const indexes = [
  { name: 'grant', fields: ['grant', 'model'] },
  { name: 'account', fields: ['account', 'model'] },
  { name: 'uid', fields: ['uid'] },
  { name: 'expires', fields: ['expires_at'] },
]

export const oauthRowsIn = collection<OauthRow>({
  name: 'accounts.oauth',
  indexes,
  budget: {
    what: 'clients and sign-ins of the authorization server',
    network: { rows: 4000, bytes: 16 << 20 },
    allBytes: 96 << 20,
    ends: 'A client that never gets a token goes after a day, a sign-in after an hour.',
  },
})

/** The id of a row. */
export const toRowId = (keys: Ports['keys'], model: Model, id: string): string =>
  `${model}:${keys.hash(`oauth ${model} ${id}`)}`

/** Prefix of our access tokens. */
export const accessTokenPrefix = 'oat_'

const pageSize = 200

/** Rows of a grant, all of them. */
export const rowsOfGrant = async (tx: Pick<Tx, 'collection'>, grant: string): Promise<OauthRow[]> => {
  const rows: OauthRow[] = []
  for (let after: string | undefined; ; ) {
    const page = await oauthRowsIn(tx).find({
      index: 'grant',
      where: { grant },
      limit: pageSize,
      ...(after !== undefined && { after }),
    })
    rows.push(...page.rows)
    if (page.next === undefined) return rows
    after = page.next
  }
}
