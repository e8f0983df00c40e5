import { createHash } from 'node:crypto'
import type { createLocalJWKSet, JWTPayload } from 'jose'
import { ToolError } from '../../kernel/error.ts'
import { listWallets } from '../../kernel/person.ts'
import type { Person, SignIn } from '../../kernel/sign-in.ts'
import type { Fetch } from '../../ports/fetch/port.ts'
import { accountsIn, balanceUnit, toWallet } from '../account.ts'
import type { AccountDeps, ExternalIssuer } from '../deps.ts'
import { refuseFrozen } from '../freeze.ts'
import type { ProtectedResources } from './resources.ts'

/** Tokens that were verified, so that a signature is checked once. */
const maxVerified = 10_000

/** An unknown key makes us ask for the keys anew, this often at most. */
const keysMs = 30_000

const algorithms = [
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
  'PS256',
  'PS384',
  'PS512',
  'RS256',
  'RS384',
  'RS512',
]

type Verified = { payload: JWTPayload; audiences: readonly string[]; until: number }
type KeySet = ReturnType<typeof createLocalJWKSet>

const away = (cause: unknown) =>
  new ToolError('unavailable', 'The authorization server does not answer, so that nobody can be signed in.', {
    retryAfter: 10,
    cause,
  })

/** Lists a server's metadata URLs: RFC 8414, the same for OpenID, and OpenID's own place. */
const documentsOf = (issuer: string): string[] => {
  const { origin, pathname } = new URL(issuer)
  const path = pathname.replace(/\/$/, '')
  return [
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}/.well-known/openid-configuration${path}`,
    `${origin}${path}/.well-known/openid-configuration`,
  ]
}

const readJson = async (fetch: Fetch, url: string): Promise<Record<string, unknown> | undefined> => {
  const { status, body, truncated } = await fetch(url, {
    accept: 'application/json',
    maxBytes: 1 << 20,
    namedBy: 'operator',
    fresh: true,
  })
  if (status !== 200 || truncated) return undefined
  const value: unknown = JSON.parse(body.toString('utf8'))
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
}

/** The account of a subject: the same whenever and wherever it comes first. */
const toAccountId = (issuer: string, subject: string): string =>
  `acct_${createHash('sha256')
    .update(JSON.stringify([issuer, subject]))
    .digest('hex')
    .slice(0, 24)}`

/**
 * Sign-in by the tokens of another authorization server: JWTs, checked by its keys, their issuer and their audience. The account of a
 * person is made with their first call.
 */
export const openExternalSignIn = (
  { store, clock }: Pick<AccountDeps, 'store' | 'clock'>,
  { issuer, audience, scopes, fetch }: ExternalIssuer,
  resources: ProtectedResources,
): SignIn => {
  const verified = new Map<string, Verified>()
  let keySet: { keys: KeySet; at: number } | undefined
  let loading: Promise<KeySet> | undefined

  const loadKeys = async (): Promise<KeySet> => {
    for (const url of documentsOf(issuer)) {
      const document = await readJson(fetch, url).catch(() => undefined)
      if (document?.issuer !== issuer || typeof document.jwks_uri !== 'string') continue
      const keys = await readJson(fetch, document.jwks_uri)
      const { createLocalJWKSet } = await import('jose')
      if (keys) return createLocalJWKSet(keys as never)
    }
    throw new Error(`${new URL(issuer).host} has no document that names its issuer and its keys`)
  }

  const freshKeys = (): Promise<KeySet> => {
    loading ??= loadKeys()
      .then(keys => {
        keySet = { keys, at: clock.now().getTime() }
        return keys
      })
      .catch((cause: unknown) => {
        throw away(cause)
      })
      .finally(() => {
        loading = undefined
      })
    return loading
  }

  const check = async (token: string, keys: KeySet): Promise<JWTPayload> => {
    const { jwtVerify } = await import('jose')
    const { payload } = await jwtVerify(token, keys, {
      issuer,
      algorithms,
      requiredClaims: ['sub', 'exp', 'aud'],
      clockTolerance: 5,
      currentDate: clock.now(),
    })
    return payload
  }

  /** Reads a token; undefined for one that is no good. Throws `unavailable` where its server cannot be asked. */
  const verify = async (token: string): Promise<JWTPayload | undefined> => {
    const { errors } = await import('jose')
    try {
      return await check(token, keySet?.keys ?? (await freshKeys()))
    } catch (error) {
      if (!(error instanceof errors.JOSEError)) throw error
      const isNew = error instanceof errors.JWKSNoMatchingKey
      if (!isNew || !keySet || clock.now().getTime() - keySet.at < keysMs) return undefined
    }
    return check(token, await freshKeys()).catch((error: unknown) => {
      if (error instanceof errors.JOSEError) return undefined
      throw error
    })
  }

  const load = async (token: string): Promise<Verified | undefined> => {
    const name = createHash('sha256').update(token).digest('base64url')
    const before = verified.get(name)
    if (before && before.until > clock.now().getTime()) return before
    verified.delete(name)
    const payload = await verify(token)
    if (!payload) return undefined
    const entry = { payload, audiences: [payload.aud ?? []].flat(), until: (payload.exp ?? 0) * 1000 }
    const now = clock.now().toISOString()
    await accountsIn(store).insert({
      id: toAccountId(issuer, payload.sub ?? ''),
      name: null,
      created_at: now,
      last_used: now.slice(0, 10),
    })
    verified.set(name, entry)
    for (const oldest of verified.keys()) {
      if (verified.size <= maxVerified) break
      verified.delete(oldest)
    }
    return entry
  }

  return {
    isToken: credential => /^eyJ[\w-]+\.[\w-]+\.[\w-]+$/.test(credential),

    async readToken(token, resource): Promise<Person | undefined> {
      if (!this.isToken(token) || token.length > 8192) return undefined
      const entry = await load(token)
      if (!entry?.audiences.some(name => name === resource || audience.includes(name))) return undefined
      const { sub = '', client_id, azp } = entry.payload
      const account = toAccountId(issuer, sub)
      await refuseFrozen(store, account)
      const client = [client_id, azp].find(value => typeof value === 'string')?.toString() ?? 'unknown'
      const grant = createHash('sha256')
        .update(JSON.stringify([account, client]))
        .digest('base64url')
      return {
        account,
        client: { id: client, name: client },
        grant,
        balance: { account: toWallet(account), unit: balanceUnit, spender: grant },
        wallets: () => listWallets(store, account),
      }
    },

    challenge(resource, { error, host } = {}) {
      const metadata = `resource_metadata="${resources.documentUrl(resource, host)}"`
      if (error) return `Bearer error="${error}", ${metadata}`
      return scopes.length > 0 ? `Bearer ${metadata}, scope="${scopes.join(' ')}"` : `Bearer ${metadata}`
    },
  }
}
