import type { AccountDeps } from '../deps.ts'
import { clientSecret, openAdapter } from './adapter.ts'
import { openDocumentFetch } from './client-documents.ts'
import { type ProtectedResources, scope } from './resources.ts'
import { accessTokenPrefix, type Model } from './row.ts'
import { deriveCookieKey, deriveSigningKey } from './signing-keys.ts'

/** Page for people on a request that cannot go on. */
export type ErrorPage = (problem: { title: string; detail: string }) => Promise<{
  headers: Readonly<Record<string, string>>
  html: string
}>

export type ProviderOptions = {
  issuer: string
  resources: ProtectedResources
  errorPage: ErrorPage
  /** True when a client, by its network address, may make us fetch one more document. */
  mayFetch(req: object): Promise<boolean>
  /** The network address of a request, as limits count it. */
  clientOf(req: object): string | undefined
}

const minute = 60
const day = 86_400

/** Seconds that things live. A refresh renews its token, so that a client in use stays connected. */
const lifetimes = {
  AccessToken: 15 * minute,
  AuthorizationCode: minute,
  Grant: day,
  IdToken: 15 * minute,
  Interaction: 15 * minute,
  RefreshToken: 30 * day,
  Session: 30 * minute,
} as const

/** Opens the authorization server (oidc-provider), which takes 0.2 s and 22 MB to load. */
export const openProvider = async (deps: AccountDeps, options: ProviderOptions) => {
  const { default: Provider, errors } = await import('oidc-provider')
  const { issuer, resources, errorPage, mayFetch, clientOf } = options
  const { keys } = deps
  const path = new URL(issuer).pathname
  const openModel = openAdapter({
    ...deps,
    visitor: () => Provider.ctx && clientOf(Provider.ctx.req),
    refuse: {
      used: () => new errors.InvalidGrant('already used'),
      over: () => new errors.InvalidGrant('the grant is over'),
      full: ({ message, status }) =>
        Object.assign(new errors.CustomOIDCProviderError('temporarily_unavailable', message), {
          status,
          statusCode: status,
        }),
      tooLarge: () => new errors.InvalidClientMetadata('the metadata of a client may have 8192 bytes'),
    },
  })
  // Both are asked for one registration, the id first.
  const newClients = new WeakMap<object, string>()
  const provider = new Provider(issuer, {
    adapter: (name: string) => openModel(name as Model),
    jwks: { keys: [deriveSigningKey(keys)] },
    cookies: {
      keys: [deriveCookieKey(keys)],
      long: { path, sameSite: 'lax', httpOnly: true },
      short: { path, sameSite: 'lax', httpOnly: true },
    },
    scopes: ['openid', 'offline_access', scope],
    clientAuthMethods: ['none', 'client_secret_basic', 'client_secret_post', 'private_key_jwt'],
    // Claude Code names no application type: a native client may use any port of this machine (RFC 8252).
    clientDefaults: {
      application_type: 'native',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      id_token_signed_response_alg: 'ES256',
    },
    enabledJWA: { idTokenSigningAlgValues: ['ES256'] },
    responseTypes: ['code'],
    pkce: { required: () => true },
    routes: {
      authorization: '/authorize',
      token: '/token',
      registration: '/register',
      revocation: '/revoke',
      jwks: '/jwks',
    },
    interactions: { url: (_, { uid }) => `${path}/interaction/${uid}` },
    findAccount: (_, accountId) => ({ accountId, claims: () => ({ sub: accountId }) }),
    ttl: lifetimes,
    issueRefreshToken: async (_, client) => client.grantTypeAllowed('refresh_token'),
    rotateRefreshToken: true,
    expiresWithSession: async () => false,
    extraTokenClaims: async ({ oidc }) => ({ client_name: oidc.client?.clientName ?? '' }),
    fetch: openDocumentFetch(deps.fetch) as never,
    async renderError(ctx, { error, error_description }) {
      const detail = [error_description ?? error, 'Go back to your client and connect again.'].join('. ')
      const { headers, html } = await errorPage({ title: 'This sign-in cannot go on', detail })
      ctx.set(headers)
      ctx.body = html
    },
    features: {
      devInteractions: { enabled: false },
      userinfo: { enabled: false },
      dPoP: { enabled: false },
      pushedAuthorizationRequests: { enabled: false },
      rpInitiatedLogout: { enabled: false },
      introspection: { enabled: false },
      revocation: {
        enabled: true,
        allowedPolicy: async (_, client, token) => token.clientId === client.clientId,
      },
      registration: {
        enabled: true,
        issueRegistrationAccessToken: false,
        idFactory(ctx) {
          const id = deps.keys.make('client')
          newClients.set(ctx, id)
          return id
        },
        secretFactory: async ctx => clientSecret(keys, newClients.get(ctx) ?? ''),
      },
      clientIdMetadataDocument: {
        enabled: true,
        ack: 'draft-02',
        // A page of ours asks without a request of the provider's; its client was let in before, perhaps by another replica.
        allowFetch: async (ctx: { req: object } | undefined) => ctx === undefined || mayFetch(ctx.req),
        allowClient: async () => true,
        cacheDuration: { min: 60, max: 3600 },
      },
      resourceIndicators: {
        enabled: true,
        defaultResource: async (_, _client, oneOf) => oneOf?.[0] ?? resources.fallback()?.url() ?? [],
        useGrantedResource: async () => true,
        async getResourceServerInfo(_, address) {
          const resource = resources.find(address)
          if (!resource) throw new errors.InvalidTarget()
          return {
            scope,
            audience: resource.url(),
            accessTokenTTL: lifetimes.AccessToken,
            accessTokenFormat: 'opaque',
          }
        },
      },
    },
  })
  // Its addresses are made of the request: who calls it pins those headers first.
  provider.proxy = true
  const { prototype } = provider.AccessToken as unknown as { prototype: { generateTokenId(): string } }
  const { generateTokenId } = prototype
  prototype.generateTokenId = function (this: object) {
    return `${accessTokenPrefix}${Reflect.apply(generateTokenId, this, [])}`
  }
  provider.on('server_error', (_, cause) => deps.report('sign-in', cause))
  return provider
}

export type OpenProvider = Awaited<ReturnType<typeof openProvider>>
